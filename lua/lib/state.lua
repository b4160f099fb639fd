-- @include lib/keys.lua
-- @include lib/expiry.lua
-- state: the index that has the message. The four are disjoint; if two have it, dq-gc --repair keeps the first one in this order.
local STATES = {'leased', 'ready', 'delayed', 'dead'}

-- state_of(id): the state and the score there; nil for a body in no state.
local function state_of(id)
  for _, state in ipairs(STATES) do
    local score = redis.call('ZSCORE', key[state], id)
    if score then return state, tonumber(score) end
  end
end

-- move(to, scores, ids): into state `to` (scores: score, id, score, id...) and then out of all others. Dead messages do
-- not expire: they leave the index of expiries, too. After a move to delayed or ready the caller calls index_expiries.
local function move(to, scores, ids)
  if #ids == 0 then return end
  redis.call('ZADD', key[to], unpack(scores))
  for _, state in ipairs(STATES) do
    if state ~= to then redis.call('ZREM', key[state], unpack(ids)) end
  end
  if to == 'dead' then forget_expiries(ids) end
end
