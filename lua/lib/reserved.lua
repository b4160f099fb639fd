-- @include lib/keys.lua
-- @include lib/digits.lua
-- reserved: ids that stay taken for a while after their messages were acked (field u of the header). settled has them, by the
-- end of that time (ms).

local function is_reserved(id, now)
  local till = redis.call('ZSCORE', KEYS[SETTLED], id)
  return till and tonumber(till) > now
end

local function any_reserved(ids, n, now)
  for i = 1, n do
    if is_reserved(ids[i], now) then return true end
  end
  return false
end

-- free_reserved(now, limit): removes those whose time has passed; how many.
local function free_reserved(now, limit)
  local past = redis.call('ZRANGE', KEYS[SETTLED], '-inf', integer(now), 'BYSCORE', 'LIMIT', 0, limit)
  if #past > 0 then redis.call('ZREM', KEYS[SETTLED], unpack(past)) end
  return #past
end
