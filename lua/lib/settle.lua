-- @include lib/keys.lua
-- @include lib/try.lua
-- @include lib/state.lua
-- settle(): the end of a delivery that leaves the message here. plan holds, for each target state, `scores` (score, id...)
-- and `ids`; entries holds HSET's pairs for the try hash, tokens spent (the caller made them with SETTLED).
local function settle(plan, entries)
  if #entries > 0 then redis.call('HSET', key.try, unpack(entries)) end
  for state, to in pairs(plan) do move(state, to.scores, to.ids) end
end

local function target()
  return {scores = {}, ids = {}}
end

local function place(to, score, id)
  to.scores[#to.scores + 1], to.scores[#to.scores + 2] = score, id
  to.ids[#to.ids + 1] = id
end
