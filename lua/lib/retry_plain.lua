-- @include lib/digits.lua
-- @include lib/plain_clock.lua
-- @include lib/plain_delivery.lua
-- @include lib/plain_marks.lua
-- retry_plain: leased -> delayed of one message of the usual priority, tries and schedule, without an expiry, where no mark is
-- needed for its due time.

-- usual_wait(tries): ms after so many tries; nil if there were too many.
local function usual_wait(tries)
  if tries >= TRIES then return nil end
  return string.match(BACKOFF, string.rep('%d+,', tries - 1) .. '(%d+)')
end

-- retry_plain(now_arg, delay, reason, id, token, more): the reply, or nil.
local function retry_plain(now_arg, delay, reason, id, token, more)
  local _, delayed, ready, leased, _, try, stat, wake = unpack(KEYS)
  local now, up = plain_clock(now_arg)
  local entry = now and not more and delivery(try, id, token)
  if not entry or #reason > REASON or type(peek('ZSCORE', leased, id)) ~= 'string' then return nil end
  local tries, due, header, last = string.match(entry, '^([1-9]%d*) %d+ (%d+) ([^\n]*)\n(.*)$')
  local wait = tries and not string.find(header, '[xrpb]=') and usual_wait(tonumber(tries))
  local again = up + (whole(wait and delay ~= '' and delay or wait, 0, SPAN) or SPAN)
  if again >= SPAN then return nil end
  local known = peek('HMGET', stat, 'armed', 'shards')
  if known[2] ~= known_shards(now_arg) or type(peek('ZCARD', delayed)) ~= 'number'
    or not marks_stand(known[1], now, again, ready, wake)
    or not redis.acl_check_cmd('HSET', try, '0', '0') or not redis.acl_check_cmd('ZADD', delayed, '0', '0')
    or not redis.acl_check_cmd('ZREM', leased, '0') or not redis.acl_check_cmd('HINCRBY', stat, '0', '0') then return nil end
  redis.call('HSET', try, id, tries .. ' 0 ' .. due .. ' ' .. header .. '\n' .. (reason ~= '' and reason or last))
  redis.call('ZADD', delayed, integer(again), id)
  redis.call('ZREM', leased, id)
  redis.call('HINCRBY', stat, 'retried', '1')
  return 'd'
end
