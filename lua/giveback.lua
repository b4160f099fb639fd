#!lua flags=allow-oom
-- giveback: leased -> ready in its old place, and the try is not counted, but the give-back; or ->
-- delayed with a due time (ready if that has passed). From the tenth time on it counts among those
-- that fail. If a put has rescheduled the message, the put's due time counts (lib/rescheduled.lua).
-- KEYS    see lib/keys.lua
-- ARGV    now   ms, '' = the server's clock
--         when  due time: MS after now, or @MS since 1970; '' = the old one
--         optional: =, and the reason, as in retry
--         then for each receipt: id, token; at most 1,000
-- Reply   a letter a receipt, in order: d done, s stale, u no such message
-- Errors  DQTYPE, DQRANGE, DQCLOCK, NOPERM
-- @include lib/scores.lua
-- @include lib/when.lua
-- @include lib/settle.lua
local now_arg, when = ARGV[1], ARGV[2]
local reason = ARGV[3] == '=' and (ARGV[4] or '') or ''
local first = ARGV[3] == '=' and 5 or 3
local reason_fits = #reason <= REASON

local function give_back(sure)
  local now, up, _, armed = usual_clock(now_arg, sure)
  local due = now and when ~= '' and due_of(when or '', now, up)
  if not reason_fits then return nil end
  if not now or when ~= '' and not due then
    return sure and redis.error_reply('DQRANGE the delay would end after May 2109')
  end
  return settle(sure, first, now, armed, function(try)
    local priority = PRIORITY
    if try.header ~= '' then
      -- @include lib/record.lua
      priority = number_field(try.header, 'p', PRIORITY)
    end
    try.tries, try.back = math.max(try.tries - 1, 0), math.min((try.back or 0) + 1, SPAN - 1)
    if does_fail(try, try.tries) then
      fails(try)
    elseif not try.first then
      try.since = try.since or try.due
    end
    if due then return home(priority, due, now) end
    return KEYS[READY], ready_score(priority, try.due)
  end, 'given_back', reason)
end

local reply = give_back()
if reply then return reply end
-- @include lib/sure.lua
return refusal(now_arg, 'receipts', (receipts(first)), 'reason', reason_fits) or give_back(sure)
