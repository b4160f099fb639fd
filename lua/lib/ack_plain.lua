-- @include lib/plain.lua
-- ack_plain: leased -> gone of one message whose id does not stay reserved.

-- ack_plain(given, id, token, more): the reply, or nil.
local function ack_plain(given, id, token, more)
  local msg, _, _, leased, _, try, stat = unpack(KEYS)
  local _, up = plain_clock(given)
  local entry = up and up < SPAN and not more and delivery(try, id, token)
  if not entry or string.find(entry, 'u=', 1, true) then return nil end
  local counts = peek('HMGET', stat, 'acked', 'shards')
  local acked = counter(counts[1])
  if counts[2] ~= shards_told(given) then return nil end
  if not acked or type(peek('HEXISTS', msg, id)) ~= 'number' or type(peek('ZSCORE', leased, id)) ~= 'string'
    or not redis.acl_check_cmd('ZREM', leased, '0') or not redis.acl_check_cmd('HDEL', try, '0')
    or not redis.acl_check_cmd('HSET', stat, '0', '0') then return nil end
  redis.call('ZREM', leased, id)
  redis.call('HDEL', try, id)
  redis.call('HDEL', msg, id)
  redis.call('HSET', stat, 'acked', integer(acked + 1))
  return 'd'
end
