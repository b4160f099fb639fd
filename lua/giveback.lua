#!lua flags=allow-oom
-- giveback: leased -> ready in its old place, and the try is not counted; or -> delayed with a due time (ready if that has
-- passed). If a put has rescheduled the message, the put's due time counts (lib/rescheduled.lua).
-- KEYS    see lib/keys.lua
-- ARGV    now   ms, '' = the server's clock
--         when  due time: MS after now, or @MS since 1970; '' = the old one
--         then for each receipt: id, token; at most 1,000
-- Reply   a letter a receipt, in order: d done, s stale, u no such message
-- Errors  DQTYPE, DQRANGE, DQCLOCK, NOPERM
-- @include lib/keys.lua
-- @include lib/arguments.lua
-- @include lib/rights.lua
-- @include lib/clock.lua
-- @include lib/scores.lua
-- @include lib/record.lua
-- @include lib/when.lua
-- @include lib/receipts.lua
-- @include lib/settle.lua
-- @include lib/rescheduled.lua
-- @include lib/counters.lua
-- @include lib/wake.lua
local now_arg, when = ARGV[1], ARGV[2]
local ids, tokens = receipts(3)

local refused = refusal(now_arg, 'receipts', items(3, 2))
if refused then return refused end
local now, up = clock(now_arg)
local due = when ~= '' and due_of(when, now, up)
if when ~= '' and not due then return redis.error_reply('DQRANGE the delay would end after May 2109') end
local entries, letters = valid_receipts(ids, tokens)
local plan, rescheduled, tries = {}, rescheduled_list(), {}
for i = 1, #ids do
  local try = entries[i] and try_parse(entries[i])
  if try and not add_rescheduled(rescheduled, ids[i], try, now) then
    local priority = number_field(try.header, 'p', PRIORITY)
    local state, score = 'ready', ready_score(priority, try.due)
    if due then state, score = home(priority, due, now) end
    plan_add(plan, state, score, ids[i], try.header)
    try.tries = math.max(try.tries - 1, 0)
    tries[#tries + 1], tries[#tries + 2] = ids[i], settled_text(try, '')
  end
end
local denied = #tries + #rescheduled.ids > 0 and (denial({'ZREM', 'HDEL', 'HINCRBY'}) or denial(WAKES))
if denied then return denied end
settle(plan, tries)
local given_back = plan_count(plan, 'ready') + plan_count(plan, 'delayed') + move_rescheduled(rescheduled)
count('given_back', given_back)
if given_back > 0 then wake(now) end
return table.concat(letters)
