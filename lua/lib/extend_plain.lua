-- @include lib/digits.lua
-- @include lib/plain_clock.lua
-- @include lib/plain_delivery.lua
-- @include lib/plain_marks.lua
-- extend_plain: the lease of one message, where no mark is needed for its new end.

-- extend_plain(now_arg, ttr, id, token, more): the reply, or nil.
local function extend_plain(now_arg, ttr, id, token, more)
  local _, _, ready, leased, _, try, stat, wake = unpack(KEYS)
  local now, up = plain_clock(now_arg)
  local lease = now and up + (whole(ttr, 1, SPAN) or SPAN) or SPAN
  if lease >= SPAN or more or not delivery(try, id, token) then return nil end
  local known = peek('HMGET', stat, 'armed', 'shards')
  if known[2] ~= known_shards(now_arg) or not marks_stand(known[1], now, lease, ready, wake)
    -- ZSCORE: the rest of the script runs it, and who may only put has no right to it.
    or not redis.acl_check_cmd('ZSCORE', leased, '0') or not redis.acl_check_cmd('HINCRBY', stat, '0', '0')
    or redis.pcall('ZADD', leased, 'XX', 'CH', integer(lease), id) ~= 1 then return nil end -- the first write
  redis.call('HINCRBY', stat, 'extended', '1')
  return 'd'
end
