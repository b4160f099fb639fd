-- @include lib/keys.lua
-- @include lib/try.lua
-- @include lib/state.lua
-- @include lib/expiry.lua
-- settle(): the end of a delivery that leaves the message here. plan holds, for each target state, `scores` (score, id...)
-- and `ids`; entries holds HSET's pairs for the try hash, tokens spent (the caller made them with SETTLED).
local function settle(plan, entries)
  if #entries > 0 then redis.call('HSET', key.try, unpack(entries)) end
  for state, to in pairs(plan) do
    move(state, to.scores, to.ids)
    index_expiries(to.expiries)
  end
end

local function target()
  return {scores = {}, ids = {}, expiries = {}}
end

-- place(to, score, id, header): with its header where it is to wait for a taker, so that its expiry is in the index.
local function place(to, score, id, header)
  to.scores[#to.scores + 1], to.scores[#to.scores + 2] = score, id
  to.ids[#to.ids + 1] = id
  if header then note_expiry(to.expiries, id, header) end
end
