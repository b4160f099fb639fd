#!lua flags=allow-oom
-- retry: leased -> delayed by the message's schedule, or -> dead if its tries are used up. If a put
-- has rescheduled the message, the put's due time counts (lib/rescheduled.lua).
-- KEYS    see lib/keys.lua
-- ARGV    now     ms, '' = the server's clock
--         delay   ms, '' = by schedule
--         reason  text, the message's last reason from now on, at most 1,000 bytes; '' keeps the
--                 one before
--         then for each receipt: id, token; at most 1,000
-- Reply   a letter a receipt, in order: d delayed, b dead, s stale, u no such message
-- Errors  DQTYPE, DQRANGE, DQCLOCK, NOPERM
-- @include lib/scores.lua
-- @include lib/backoff.lua
-- @include lib/settle.lua
local now_arg, delay, reason = ARGV[1], ARGV[2], ARGV[3]
local fixed = tonumber(delay) and math.ceil(tonumber(delay))
local reason_fits = reason and #reason <= REASON

-- wrong_delay(up): the error reply if it is invalid.
local function wrong_delay(up)
  if delay ~= '' and not (fixed and fixed >= 0) then return redis.error_reply('DQRANGE delay') end
  if fixed and up + fixed >= SPAN then
    return redis.error_reply('DQRANGE the delay would end after May 2109')
  end
end

local function retry(sure)
  local now, up, us, armed = usual_clock(now_arg, sure)
  if not now or not reason_fits or not sure and wrong_delay(up) then return nil end
  local field_of -- number_field, once a header has fields
  return wrong_delay(up) or settle(sure, 4, now, armed, function(try, id)
    local header = try.header
    if header ~= '' and not field_of then
      -- @include lib/record.lua
      field_of = number_field
    end
    fails(try)
    if try.tries >= (field_of and field_of(header, 'r', TRIES) or TRIES) then
      return KEYS[DEAD], now
    end
    local due = math.min(up + (fixed or backoff(header, try.tries, id, us)), HELD - 1)
    return KEYS[DELAYED], field_of and delayed_score(field_of(header, 'p', PRIORITY), due) or due
  end, 'retried', reason)
end

local reply = retry()
if reply then return reply end
-- @include lib/sure.lua
return refusal(now_arg, 'receipts', (receipts(4)), 'reason', reason_fits) or retry(sure)
