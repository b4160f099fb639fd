#!lua flags=allow-oom
-- bury: leased -> dead, even if tries are left; or delayed or ready if a put has rescheduled it
-- (lib/rescheduled.lua).
-- KEYS    see lib/keys.lua
-- ARGV    now     ms, '' = the server's clock
--         reason  text, the message's last reason from now on, at most 1,000 bytes; '' keeps the
--                 one before
--         then for each receipt: id, token; at most 1,000
-- Reply   a letter a receipt, in order: d done, s stale, u no such message
-- Errors  DQTYPE, DQRANGE, DQCLOCK, NOPERM
-- @include lib/settle.lua
local now_arg, reason = ARGV[1], ARGV[2]
local reason_fits = reason and #reason <= REASON

local function bury(sure)
  local now = usual_clock(now_arg, sure)
  local function to_dead(try)
    fails(try)
    return KEYS[DEAD], now
  end
  return now and reason_fits and settle(sure, 3, now, nil, to_dead, nil, reason)
end

local reply = bury()
if reply then return reply end
-- @include lib/sure.lua
return refusal(now_arg, 'receipts', (receipts(3)), 'reason', reason_fits) or bury(sure)
