-- @include lib/keys.lua
-- @include lib/scores.lua
-- @include lib/record.lua
-- @include lib/try.lua
-- @include lib/settle.lua
-- ends: a put may ask for a message during a delivery of it (AGAIN in the try entry). When that delivery ends, in any way, the
-- message becomes delayed or ready with the put's due time and all tries.

-- asked_again(entry): false if it has no AGAIN; true if it may have one (a reason may have > as well). Cheap, and mostly false.
local function asked_again(entry)
  return string.find(entry, '>', 1, true)
end

-- comebacks(): a list of such messages of one call. come_back(back, id, try, now) adds one, or returns false if no put asked
-- for it.
local function comebacks()
  return {plan = {}, ids = {}}
end

local function come_back(back, id, try, now)
  if not try.again then return false end
  local state, score = home(number_field(try.header, 'p', PRIORITY), try.again, now)
  place(back.plan, state, score, id, try.header)
  back.ids[#back.ids + 1] = id
  return true
end

-- welcome(back): moves them to their new places. Returns how many. Their try entries are removed last: if an error ends the
-- script in between, the next ack moves them, too.
local function welcome(back)
  if #back.ids == 0 then return 0 end
  settle(back.plan, {})
  redis.call('HDEL', key.try, unpack(back.ids))
  return #back.ids
end
