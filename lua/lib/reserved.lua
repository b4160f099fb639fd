-- @include lib/keys.lua
-- @include lib/digits.lua
-- @include lib/types.lua
-- @include lib/usual.lua
-- reserved: ids that stay taken for a while after their messages were acked (field u of the
-- header). settled has them, by the end of that time (ms), and ids with an outcome.

-- settled_till(id, now): the end of the time for which it is reserved or its outcome is kept (ms);
-- nil: that has passed.
local function settled_till(id, now)
  local till = tonumber(redis.call('ZSCORE', KEYS[SETTLED], id) or nil)
  return till and till > now and till or nil
end

-- is_reserved(id, now): an outcome of another end than an ack (lib/outcome.lua) reserves nothing.
local function is_reserved(id, now)
  if not settled_till(id, now) then return false end
  local outcome = key_exists('outcome') and redis.call('HGET', KEYS[OUTCOME], id)
  return not outcome or string.sub(outcome, 1, 5) == 'done '
end

local function any_reserved(ids, n, now)
  for i = 1, n do
    if is_reserved(ids[i], now) then return true end
  end
  return false
end

-- may_free(): may the caller remove reservations? Who only puts may not.
local function may_free()
  return may('HDEL', KEYS[OUTCOME], '0') and may('ZREM', KEYS[SETTLED], '0')
end

-- free(ids): they are no longer reserved, and have no outcome. Where the caller may not remove
-- them, their time is over: another one removes them.
local function free(ids)
  if #ids == 0 then return end
  if not may_free() then
    local over = {}
    for i = 1, #ids do over[2 * i - 1], over[2 * i] = '0', ids[i] end
    return redis.call('ZADD', KEYS[SETTLED], 'XX', unpack(over))
  end
  if key_exists('outcome') then redis.call('HDEL', KEYS[OUTCOME], unpack(ids)) end
  redis.call('ZREM', KEYS[SETTLED], unpack(ids))
end

-- free_reserved(now, limit): removes those whose time has passed, and their outcomes; how many.
local function free_reserved(now, limit)
  local past = redis.call('ZRANGE', KEYS[SETTLED], '-inf', integer(now), 'BYSCORE',
    'LIMIT', 0, limit)
  free(past)
  return #past
end
