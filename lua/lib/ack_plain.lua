-- @include lib/plain_delivery.lua
-- ack_plain: leased -> gone, for one message whose id does not stay reserved. It does not read the server's clock, because
-- nothing here depends on it.

-- ack_plain(now_arg, id, token, more): the reply, or nil.
local function ack_plain(now_arg, id, token, more)
  local msg, _, _, leased, _, try, stat = unpack(KEYS)
  local ms = string.match(now_arg or '?', '^[^/]+')
  local entry = not more and (not ms or whole(ms, 0, SPAN - 1)) and delivery(try, id, token)
  if not entry or string.find(entry, 'u=', 1, true) or peek('HGET', stat, 'shards') ~= known_shards(now_arg)
    or type(peek('HEXISTS', msg, id)) ~= 'number'
    or not redis.acl_check_cmd('HDEL', try, '0') or not redis.acl_check_cmd('HINCRBY', stat, '0', '0')
    or redis.pcall('ZREM', leased, id) ~= 1 then return nil end -- the first write
  redis.call('HDEL', try, id)
  redis.call('HDEL', msg, id)
  redis.call('HINCRBY', stat, 'acked', '1')
  return 'd'
end
