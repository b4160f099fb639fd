-- @include lib/keys.lua
-- @include lib/scores.lua
-- @include lib/record.lua
-- @include lib/try.lua
-- @include lib/settle.lua
-- rescheduled: a put may reschedule a message during a delivery of it (AGAIN in the try entry). When that delivery ends, in any
-- way, the message becomes delayed or ready with the put's due time and all tries.

-- may_be_rescheduled(entry): false if it has no AGAIN; true if it may have one (a reason may have > as well). Cheap, and mostly
-- false.
local function may_be_rescheduled(entry)
  return string.find(entry, '>', 1, true)
end

-- rescheduled_list(): a list of such messages of one call. add_rescheduled(list, id, try, now) adds one, or returns false if no
-- put has rescheduled it.
local function rescheduled_list()
  return {plan = {}, ids = {}}
end

local function add_rescheduled(list, id, try, now)
  if not try.again then return false end
  local state, score = home(number_field(try.header, 'p', PRIORITY), try.again, now)
  plan_add(list.plan, state, score, id, try.header)
  list.ids[#list.ids + 1] = id
  return true
end

-- move_rescheduled(list): moves them to their new places. Returns how many. Their try entries are removed last: if an error ends
-- the script in between, the next ack moves them, too.
local function move_rescheduled(list)
  if #list.ids == 0 then return 0 end
  settle(list.plan, {})
  redis.call('HDEL', key.try, unpack(list.ids))
  return #list.ids
end
