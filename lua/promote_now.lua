#!lua flags=allow-oom
-- promote_now: delayed -> ready for named messages, before their due time: now is their due time,
-- unless it has passed. One that is leased, and that a put has rescheduled, is due now when its
-- delivery ends.
-- KEYS    see lib/keys.lua
-- ARGV    now  ms, '' = the server's clock
--         then ids; at most 1,000
-- Reply   a letter an id, in order: d ready now, k ready or leased already, b dead (see redrive), u
--         no such message
-- Errors  DQTYPE, DQRANGE, DQCLOCK, NOPERM
-- @include lib/keys.lua
-- @include lib/arguments.lua
-- @include lib/rights.lua
-- @include lib/clock.lua
-- @include lib/read_scores.lua
-- @include lib/state.lua
-- @include lib/try.lua
-- @include lib/plan.lua
-- @include lib/counters.lua
-- @include lib/wake.lua
local now_arg = ARGV[1]
local FIRST = 2

local refused = refusal(now_arg, 'ids', items(FIRST, 1))
if refused then return refused end
local now = clock(now_arg)
local letters, plan, seen, entries = {}, {}, {}, {}
for i = FIRST, #ARGV do
  local id = ARGV[i]
  local state, score = state_of(id)
  if state == KEYS[DELAYED] and not seen[id] then
    local priority, due = delayed_split(score)
    plan_add(plan, KEYS[READY], ready_score(priority, math.min(due, now)), id)
    letters[#letters + 1], seen[id] = 'd', true
  elseif state then
    local try = state == KEYS[LEASED] and try_of(id)
    if try and (try.again or 0) > now then
      try.again = now
      entries[#entries + 1], entries[#entries + 2] = id, entry_text(try)
    end
    letters[#letters + 1] = state == KEYS[DEAD] and 'b' or 'k'
  else
    letters[#letters + 1] = 'u'
  end
end
local ready = plan_count(plan, KEYS[READY])
local denied = ready > 0 and (denial({'ZREM', 'HINCRBY'}) or wake_denial() or keys_denial())
  or #entries > 0 and denial({'HSET'})
if denied then return denied end
move_plan(plan, entries, KEYS[DELAYED])
count('promoted', ready)
if ready > 0 then wake(now) end
return table.concat(letters)
