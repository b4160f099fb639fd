-- @include lib/keys.lua
-- @include lib/expiry.lua
-- state: where a message is. The four indexes are disjoint; this order is also which one --repair believes.
local STATES = {'leased', 'ready', 'delayed', 'dead'}

-- state_of(id): the state's name and the score there; nil for a body in no state.
local function state_of(id)
  for _, state in ipairs(STATES) do
    local score = redis.call('ZSCORE', key[state], id)
    if score then return state, tonumber(score) end
  end
end

-- move(to, scores, ids): into state `to` (scores: score, id, score, id...) and then out of all others; of the index of expiries,
-- too, where nothing expires (who moves to delayed or ready has index_expiries called).
local function move(to, scores, ids)
  if #ids == 0 then return end
  redis.call('ZADD', key[to], unpack(scores))
  for _, state in ipairs(STATES) do
    if state ~= to then redis.call('ZREM', key[state], unpack(ids)) end
  end
  if to == 'dead' then forget_expiries(ids) end
end
