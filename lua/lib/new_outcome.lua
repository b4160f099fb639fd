-- @include lib/reserved.lua
-- new_outcome: a message that is new has no outcome yet; one may be loaded.

-- forget_outcome(id): and its reservation.
local function forget_outcome(id)
  if key_exists('outcome') and redis.call('HDEL', KEYS[OUTCOME], id) == 1 then
    redis.call('ZREM', KEYS[SETTLED], id)
  end
end

-- begin_outcomes(ids, letters, keeps): those that were put are new. keeps: one may have k=1.
local function begin_outcomes(ids, letters, keeps)
  if keeps and string.find(letters, '[nr]') then redis.call('HSET', KEYS[STAT], 'keeps', '1') end
  if not key_exists('outcome') then return end
  for i = 1, #letters do
    if string.find(string.sub(letters, i, i), '[nr]') then forget_outcome(ids[i]) end
  end
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
