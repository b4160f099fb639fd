-- @include lib/plain.lua
-- take_plain: ready -> leased of one message without an expiry, in a queue where nothing is to be moved or removed before and no
-- mark of a time is needed, for a caller that holds no time. A mark that may be lost is given up only by who finds nothing.
local REASON = 1000

-- ttr_of(header): as text, '' = the usual one; nil if there is an expiry, or the ttr is not plain.
local function ttr_of(header)
  if not header or string.find(header, 'x=', 1, true) then return nil end
  local text = string.match(' ' .. header, ' t=([^ ]+)') or ''
  return string.find(text, '^%d*$') and text
end

-- take_plain(given, wanted, ttr, promote, budget, held): the reply, or nil.
local function take_plain(given, wanted, ttr, promote, budget, held)
  if wanted ~= '1' or (held or '') ~= '' and held ~= '?' or not whole(budget, 1, WHOLE) then return nil end
  local now, up, us = plain_clock(given)
  local msg, delayed, ready, leased, _, try, stat, wake, conf, _, _, expiry = unpack(KEYS)
  local head = now and peek('ZRANGE', ready, '0', '0', 'WITHSCORES') or {}
  local id, score = head[1], whole(head[2], 0, WHOLE)
  local record, entry = score and peek('HGET', msg, id), score and peek('HGET', try, id)
  if type(record) ~= 'string' or type(entry) == 'table' then return nil end
  local header, own, tries, reason = '', '', 0, ''
  if string.byte(record) ~= 10 then
    header = string.match(record, '^([^\n]*)\n')
    own = ttr_of(header)
  end
  if entry then tries, reason = string.match(entry, '^(%d+) %d+ %d+ [^\n]*\n(.*)$') end
  local length = own and (ttr == '' and own == '' and TTR or whole(ttr == '' and own or ttr, 1, SPAN))
  if not (length and up + length < SPAN and tries) then return nil end

  local first_due, first_lease = peek('ZRANGE', delayed, '0', '0', 'WITHSCORES'), peek('ZRANGE', leased, '0', '0', 'WITHSCORES')
  local lease, next_move = up + length, math.min(tonumber(first_due[2]) or SPAN, tonumber(first_lease[2]) or SPAN)
  if first_due.err or first_lease.err or promote == '1' and peek('ZCARD', expiry) ~= 0 then return nil end
  local at = math.min(lease, math.floor(next_move))
  local left = peek('ZCARD', ready)
  if type(left) ~= 'number' then return nil end
  local more = left > 1 and 1 or 0
  local marks = more == 1 and peek('ZCARD', wake) or 1
  local due = score % SPAN
  local _, bucket = math.frexp(math.max(now - due, 0))
  local late = 'late:' .. bucket
  -- If armed is to come and not later than the next move, nothing is to be promoted.
  local counts = peek('HMGET', stat, 'token', 'taken', late, 'armed', 'shards')
  local last, taken, times, armed = counter(counts[1]), counter(counts[2]), counter(counts[3]), tonumber(counts[4] or nil)
  if counts[5] ~= shards_told(given) then return nil end
  if not (last and taken and times and armed) or armed <= now or armed > at or more == 1 and armed > now + GUARD
    or type(marks) ~= 'number' or peek('HEXISTS', conf, 'paused') ~= 0
    or not redis.acl_check_cmd('ZADD', leased, '0', '0') or not redis.acl_check_cmd('HSET', try, '0', '0')
    or not redis.acl_check_cmd('ZREM', ready, '0') then return nil end

  local token = integer(math.max(last + 1, us))
  tries = tries + 1
  redis.call('ZADD', leased, integer(lease), id)
  redis.call('HSET', try, id, integer(tries) .. ' ' .. token .. ' ' .. integer(due) .. ' ' .. header .. '\n' .. reason)
  redis.call('HSET', stat, 'token', token, 'taken', integer(taken + 1), late, integer(times + 1))
  redis.call('ZREM', ready, id)
  if marks == 0 then redis.call('ZADD', wake, '0', 'r') end
  return {us, token, at, more, 0, id, tries, due, lease, record, string.sub(reason, 1, REASON)}
end
