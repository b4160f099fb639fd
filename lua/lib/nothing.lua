-- @include lib/usual.lua
-- @include lib/digits.lua
-- nothing: the reply of a take where nothing is ready. Nothing is written: the next move, if there
-- is one, has its mark, and the caller releases nothing.

-- nothing_ready(now, us, armed, last_token, promote, held): the reply, or nil.
local function nothing_ready(now, us, armed, last_token, promote, held)
  local at = (held == '' or (tonumber(held) or 0) > now) and next_in(HELD)
  if not at or at <= now or at < HELD and not (armed and armed > now and armed <= at)
    or promote and peek('ZCARD', KEYS[EXPIRY]) ~= 0
    or type(peek('HEXISTS', KEYS[MSG], '')) ~= 'number' then return nil end
  return {us, integer(math.max(last_token + 1, us)), at < HELD and at or -1, 0, 0, -1}
end
