-- @include lib/types.lua
-- @include lib/digits.lua
-- @include lib/record.lua
-- @include lib/state.lua
-- @include lib/drop.lua
-- @include lib/counters.lua
-- @include lib/expiry.lua
-- @include lib/outcome.lua

-- expire(now, limit): delayed, ready -> gone if past the expiry: at most limit messages, and few
-- enough messages and bytes that other clients hardly wait. Two values: the ids, and whether there
-- may be more. The index names the messages to check. A message is removed only if its own record
-- has expired, and if it is not leased.
local EXPIRE_MOST = 250
local EXPIRE_BYTES = 1048576
local function expire(now, limit)
  if not (key_exists('expiry') or indexed) then return {}, false end
  limit = math.min(limit, EXPIRE_MOST)
  local ids = redis.call('ZRANGE', KEYS[EXPIRY], '-inf', integer(now), 'BYSCORE', 'LIMIT', 0, limit)
  local records, n = records_within(ids, EXPIRE_BYTES)
  local gone = {}
  for i = 1, n do
    local state = records[i] and expired_by(header_of(records[i]), now) and state_of(ids[i])
    if state == KEYS[DELAYED] or state == KEYS[READY] then gone[#gone + 1] = ids[i] end
  end
  keep_gone(gone, now, 'expired')
  drop(gone)
  if n > #gone then redis.call('ZREM', KEYS[EXPIRY], unpack(ids, 1, n)) end
  count('expired', #gone)
  return gone, n > 0 and (n < #ids or n == limit)
end
