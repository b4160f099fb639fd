-- @include lib/keys.lua
-- @include lib/scores.lua
-- @include lib/record.lua
-- @include lib/try.lua
-- @include lib/state.lua
-- @include lib/expiry.lua
-- ends: a message that a put asked for while somebody was at work on it (AGAIN in its try entry) is there again when that
-- delivery ends, in whatever way: with the new due time, and with all tries before it.

-- asked_again(entry): is it one? Nearly none is, and this look is cheap: true means that it may be (> may stand in a reason).
local function asked_again(entry)
  return string.find(entry, '>', 1, true)
end

-- comebacks(): to gather them; come_back(to, id, try, now) does, and is false where nobody asked.
local function comebacks()
  return {ready = {}, delayed = {}, ids = {}, expiries = {}}
end

local function come_back(to, id, try, now)
  if not try.again then return false end
  local state, score = home(number_field(try.header, 'p', PRIORITY), try.again, now)
  local scores = to[state]
  scores[#scores + 1], scores[#scores + 2] = score, id
  to.ids[#to.ids + 1] = id
  note_expiry(to.expiries, id, try.header)
  return true
end

-- welcome(to): into their new places and out of all others; how many. Their entries go last: until then an ack that comes
-- after an error in the middle brings them back, too.
local function welcome(to)
  for _, state in ipairs({'ready', 'delayed'}) do
    local scores, ids = to[state], {}
    for i = 2, #scores, 2 do ids[i / 2] = scores[i] end
    move(state, scores, ids)
  end
  index_expiries(to.expiries)
  if #to.ids > 0 then redis.call('HDEL', key.try, unpack(to.ids)) end
  return #to.ids
end
