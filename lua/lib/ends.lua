-- @include lib/keys.lua
-- @include lib/scores.lua
-- @include lib/record.lua
-- @include lib/try.lua
-- @include lib/settle.lua
-- ends: a message that a put asked for while somebody was at work on it (AGAIN in its try entry) is there again when that
-- delivery ends, in whatever way: with the new due time, and with all tries before it.

-- asked_again(entry): is it one? Nearly none is, and this look is cheap: true means that it may be (> may stand in a reason).
local function asked_again(entry)
  return string.find(entry, '>', 1, true)
end

-- comebacks(): gathers such messages; come_back(back, id, try, now) adds one, or returns false if no put asked for it.
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

-- welcome(back): moves them to their new places; how many. Their try entries are removed last: if the script ends in between, a
-- second ack moves them as well.
local function welcome(back)
  if #back.ids == 0 then return 0 end
  settle(back.plan, {})
  redis.call('HDEL', key.try, unpack(back.ids))
  return #back.ids
end
