-- @include lib/reserved.lua
-- new_outcome: a message that is new has no outcome yet, and its id is not reserved: what earlier
-- messages of the id left says nothing of it. One may be loaded.

-- begin_outcomes(ids, letters, keeps, reserved): those that were put are new. keeps: one may have
-- k=1. reserved: there are reserved ids.
local function begin_outcomes(ids, letters, keeps, reserved)
  if keeps and string.find(letters, '[nr]') then redis.call('HSET', KEYS[STAT], 'keeps', '1') end
  if not reserved then return end
  local new = {}
  for i = 1, #letters do
    if string.find(string.sub(letters, i, i), '[nr]') then new[#new + 1] = ids[i] end
  end
  free(new)
end

-- reserve(id, till, outcome, now): reserves the id until then (ms), unless it is for as long; true
-- if so. outcome: nil = none.
local function reserve(id, till, outcome, now)
  local before = tonumber(redis.call('ZSCORE', KEYS[SETTLED], id) or nil)
  if till <= now or before and before >= till then return false end
  redis.call('ZADD', KEYS[SETTLED], till, id)
  if outcome then redis.call('HSET', KEYS[OUTCOME], id, outcome) end
  exists.outcome = exists.outcome or outcome ~= nil
  return true
end
