-- @include lib/scores.lua
-- @include lib/record.lua
-- @include lib/plan.lua
-- @include lib/failing.lua
-- rescheduled: a put may reschedule a message during a delivery of it (AGAIN in the try entry).
-- When that delivery ends, in any way, the message becomes delayed or ready with the put's due time
-- and all tries.

-- move_rescheduled(list, now): moves them to their new places; list: id, try, id, try... Their try
-- entries are removed last: if an error ends the script in between, the next ack moves them, too.
local function move_rescheduled(list, now)
  local plan, ids, failing = {}, {}, {}
  for i = 1, #list, 2 do
    local header = list[i + 1].header
    local state, score = home(number_field(header, 'p', PRIORITY), list[i + 1].again, now)
    plan_add(plan, state, score, list[i], header)
    ids[#ids + 1] = list[i]
    if list[i + 1].first then failing[#failing + 1] = list[i] end
  end
  move_plan(plan, {}, KEYS[LEASED], false)
  forget_failing(failing)
  redis.call('HDEL', KEYS[TRY], unpack(ids))
end
