-- @include lib/scores.lua
-- @include lib/record.lua
-- @include lib/plan.lua
-- @include lib/failing.lua
-- @include lib/try.lua
-- rescheduled: a put may reschedule a message during a delivery of it (AGAIN in the try entry).
-- When that delivery ends, in any way, the message becomes delayed or ready with the put's due time
-- and all tries.

-- move_rescheduled(list, now, reason): moves them to their new places; list: id, try, id, try...
-- reason: why the deliveries ended ('' = as before); nil: they succeeded. Their try entries are
-- removed, or changed, last: if an error ends the script in between, the next ack moves them, too.
local function move_rescheduled(list, now, reason)
  local plan, ids, failing, entries = {}, {}, {}, {}
  for i = 1, #list, 2 do
    local id, try = list[i], list[i + 1]
    local state, score = home(number_field(try.header, 'p', PRIORITY), try.again, now)
    plan_add(plan, state, score, id, try.header)
    ids[#ids + 1] = id
    if reason then
      plan_fails(plan, state, try, nil)
      entries[#entries + 1], entries[#entries + 2] = id, renewed_text(try, reason)
    elseif try.first then
      failing[#failing + 1] = id
    end
  end
  move_plan(plan, {}, KEYS[LEASED], false)
  forget_failing(failing)
  if reason then
    redis.call('HSET', KEYS[TRY], unpack(entries))
  else
    redis.call('HDEL', KEYS[TRY], unpack(ids))
  end
end
