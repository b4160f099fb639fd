-- @include lib/plain.lua
-- extend_plain: the lease of one message, where no mark is needed for its new end.

-- extend_plain(given, ttr, id, token, more): the reply, or nil.
local function extend_plain(given, ttr, id, token, more)
  local _, _, ready, leased, _, try, stat, wake = unpack(KEYS)
  local now, up = plain_clock(given)
  local lease = now and up + (whole(ttr, 1, SPAN) or SPAN) or SPAN
  if lease >= SPAN or more or not delivery(try, id, token) or type(peek('ZSCORE', leased, id)) ~= 'string' then return nil end
  local counts = peek('HMGET', stat, 'extended', 'armed', 'shards')
  local extended, armed = counter(counts[1]), counts[2]
  if counts[3] ~= shards_told(given) then return nil end
  if not extended or not marks_stand(armed, now, lease, ready, wake)
    or not redis.acl_check_cmd('ZADD', leased, '0', '0') or not redis.acl_check_cmd('HSET', stat, '0', '0') then return nil end
  redis.call('ZADD', leased, integer(lease), id)
  redis.call('HSET', stat, 'extended', integer(extended + 1))
  return 'd'
end
