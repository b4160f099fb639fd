#!lua flags=allow-oom
-- bury: leased -> dead, even if tries are left; or delayed or ready if a put has rescheduled it (lib/rescheduled.lua).
-- KEYS    see lib/keys.lua
-- ARGV    now     ms, '' = the server's clock
--         reason  text, the message's last reason from now on, at most 1,000 bytes; '' keeps the one before
--         then for each receipt: id, token; at most 1,000
-- Reply   a letter a receipt, in order: d done, s stale, u no such message
-- Errors  DQTYPE, DQRANGE, DQCLOCK, NOPERM
-- @include lib/keys.lua
-- @include lib/arguments.lua
-- @include lib/rights.lua
-- @include lib/clock.lua
-- @include lib/receipts.lua
-- @include lib/settle.lua
-- @include lib/rescheduled.lua
-- @include lib/counters.lua
-- @include lib/wake.lua
local now_arg, reason = ARGV[1], ARGV[2]
local ids, tokens = receipts(3)

local refused = refusal(now_arg, 'receipts', items(3, 2), 'reason', reason and #reason <= REASON)
if refused then return refused end
local now = clock(now_arg)
local entries, letters = valid_receipts(ids, tokens)
local plan, rescheduled, tries = {}, rescheduled_list(), {}
for i = 1, #ids do
  local try = entries[i] and try_parse(entries[i])
  if try and not add_rescheduled(rescheduled, ids[i], try, now) then
    plan_add(plan, 'dead', now, ids[i])
    tries[#tries + 1], tries[#tries + 2] = ids[i], settled_text(try, reason)
  end
end
local denied = #tries + #rescheduled.ids > 0 and denial({'HSET', 'ZADD', 'ZREM', 'HDEL', 'HINCRBY'})
  or #rescheduled.ids > 0 and denial(WAKES)
if denied then return denied end
settle(plan, tries)
if move_rescheduled(rescheduled) > 0 then wake(now) end
count('dead', plan_count(plan, 'dead'))
return table.concat(letters)
