-- @include lib/keys.lua
-- state: the index that has the message. The four are disjoint; if two have it, dq-gc --repair
-- keeps the first one in this order.
local function states()
  return {KEYS[LEASED], KEYS[READY], KEYS[DELAYED], KEYS[DEAD]}
end

-- state_of(id): the state (the key of its index) and the score there; nil for a body in no state.
local function state_of(id)
  for _, state in ipairs(states()) do
    local score = redis.call('ZSCORE', state, id)
    if score then return state, tonumber(score) end
  end
end

-- state_name(state): as users name it.
local function state_name(state)
  if state == KEYS[DELAYED] then
    return 'delayed'
  elseif state == KEYS[READY] then
    return 'ready'
  end
  return state == KEYS[LEASED] and 'leased' or 'dead'
end
