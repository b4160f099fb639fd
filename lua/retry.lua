#!lua flags=allow-oom
-- retry: leased -> delayed by the message's schedule, or -> dead if its tries are used up. If a put has rescheduled the
-- message, the put's due time counts (lib/rescheduled.lua).
-- KEYS    see lib/keys.lua
-- ARGV    now     ms, '' = the server's clock
--         delay   ms, '' = by schedule
--         reason  text, the message's last reason from now on, at most 1,000 bytes; '' keeps the one before
--         then for each receipt: id, token; at most 1,000
-- Reply   a letter a receipt, in order: d delayed, b dead, s stale, u no such message
-- Errors  DQTYPE, DQRANGE, DQCLOCK, NOPERM
-- @include lib/retry_plain.lua
local usual = retry_plain(unpack(ARGV, 1, 6))
if usual then return usual end

-- @include lib/keys.lua
-- @include lib/arguments.lua
-- @include lib/rights.lua
-- @include lib/clock.lua
-- @include lib/scores.lua
-- @include lib/backoff.lua
-- @include lib/receipts.lua
-- @include lib/settle.lua
-- @include lib/rescheduled.lua
-- @include lib/counters.lua
-- @include lib/wake.lua
local now_arg, delay, reason = ARGV[1], ARGV[2], ARGV[3]
local ids, tokens = receipts(4)

local refused = refusal(now_arg, 'receipts', items(4, 2), 'reason', reason and #reason <= REASON)
if refused then return refused end
local now, up, us = clock(now_arg)
local fixed = tonumber(delay) and math.ceil(tonumber(delay))
if delay ~= '' and not (fixed and fixed >= 0) then return redis.error_reply('DQRANGE delay') end
if fixed and up + fixed >= SPAN then return redis.error_reply('DQRANGE the delay would end after May 2109') end

local entries, letters = valid_receipts(ids, tokens)
local plan, rescheduled, tries = {}, rescheduled_list(), {}
for i = 1, #ids do
  local id, try = ids[i], entries[i] and try_parse(entries[i])
  if try and not add_rescheduled(rescheduled, id, try, now) then
    if try.tries >= number_field(try.header, 'r', TRIES) then
      plan_add(plan, 'dead', now, id)
      letters[i] = 'b'
    else
      local due = math.min(up + (fixed or backoff(try.header, try.tries, id, us)), SPAN - 1)
      plan_add(plan, 'delayed', delayed_score(number_field(try.header, 'p', PRIORITY), due), id, try.header)
    end
    tries[#tries + 1], tries[#tries + 2] = id, settled_text(try, reason)
  end
end
local denied = #tries + #rescheduled.ids > 0 and (denial({'ZREM', 'HDEL', 'HINCRBY'}) or denial(WAKES))
if denied then return denied end
settle(plan, tries)
local retried = plan_count(plan, 'delayed') + move_rescheduled(rescheduled)
count('retried', retried)
count('dead', plan_count(plan, 'dead'))
if retried > 0 then wake(now) end
return table.concat(letters)
