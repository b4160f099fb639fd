-- @include lib/digits.lua
-- @include lib/plain_clock.lua
-- take_plain: ready -> leased of one message without an expiry, in a queue where nothing is to be moved or removed before and no
-- mark of a time is needed, for a caller that holds no time. A call releases a mark that may be lost only if it finds nothing.

-- next_in(delayed, leased, by): the next due time or lease end, at most by (ms); nil if a key is foreign.
local function next_in(delayed, leased, by)
  local due, lease = peek('ZRANGE', delayed, '0', '0', 'WITHSCORES'), peek('ZRANGE', leased, '0', '0', 'WITHSCORES')
  if due.err or lease.err then return nil end
  return math.min(by, math.floor(math.min(tonumber(due[2]) or by, tonumber(lease[2]) or by)))
end

-- take_plain(now_arg, wanted, ttr, promote, budget, held): the reply, or nil; then true: nothing is ready: nothing_plain.
local function take_plain(now_arg, wanted, ttr, promote, budget, held)
  local now, up, us = plain_clock(now_arg)
  local most = whole(budget, 0, WHOLE)
  if not now or up >= SPAN or ttr ~= '' and not whole(ttr, 0, SPAN) or not most then return nil end
  local msg, delayed, ready, leased, _, try, stat, wake, conf, _, _, expiry = unpack(KEYS)
  local head = peek('ZRANGE', ready, '0', '0', 'WITHSCORES')
  local id, score = head[1], whole(head[2], 0, WHOLE)
  if not (id or head.err) then return nil, whole(wanted, 0, WHOLE) end
  if wanted ~= '1' or most == 0 or (held or '') ~= '' and held ~= '?' then return nil end
  local record, entry = score and peek('HGET', msg, id), score and peek('HGET', try, id)
  if type(record) ~= 'string' or type(entry) == 'table' then return nil end
  local header, own, tries, reason = '', '', 0, ''
  if string.byte(record) ~= 10 then
    header = string.match(record, '^([^\n]*)\n')
    own = header and not string.find(header, 'x=', 1, true) and (string.match(' ' .. header, ' t=([^ ]+)') or '')
    own = own and string.find(own, '^%d*$') and own -- nil or false: there is an expiry, or the ttr is not plain
  end
  if entry then tries, reason = string.match(entry, '^(%d+) %d+ %d+ [^\n]*\n(.*)$') end
  local length = own and (ttr == '' and own == '' and TTR or whole(ttr == '' and own or ttr, 1, SPAN))
  local lease, left = up + (length or SPAN), peek('ZCARD', ready)
  if lease >= SPAN or not tries or type(left) ~= 'number' then return nil end

  local due = score % SPAN
  local _, bucket = math.frexp(math.max(now - due, 0))
  local late = 'late:' .. bucket
  local counts = peek('HMGET', stat, 'token', 'taken', late, 'armed', 'shards')
  local last, taken, times = tonumber(counts[1] or 0), tonumber(counts[2] or 0), tonumber(counts[3] or 0)
  local armed, total = tonumber(counts[4] or nil), last and taken and times and last + taken + times
  if not total or total % 1 ~= 0 or total >= WHOLE or counts[5] ~= known_shards(now_arg) then return nil end
  -- If armed is to come, it is not later than the next move: nothing is to be promoted. While more is ready nobody waits for it.
  local more, marks, at = 0, 1, armed
  if left == 1 then
    at = next_in(delayed, leased, lease)
  else
    more, marks = 1, peek('ZCARD', wake)
  end
  if not (armed and at) or armed <= now or armed > math.min(at, lease) or more == 1 and armed > now + GUARD
    or type(marks) ~= 'number' or promote == '1' and peek('ZCARD', expiry) ~= 0 or peek('HEXISTS', conf, 'paused') ~= 0
    or not redis.acl_check_cmd('HSET', try, '0', '0') or not redis.acl_check_cmd('ZREM', ready, '0')
    or redis.pcall('ZADD', leased, 'NX', integer(lease), id) ~= 1 then return nil end -- the first write

  local token = integer(math.max(last + 1, us))
  tries = tries + 1
  redis.call('HSET', try, id, integer(tries) .. ' ' .. token .. ' ' .. integer(due) .. ' ' .. header .. '\n' .. reason)
  redis.call('HSET', stat, 'token', token, 'taken', integer(taken + 1), late, integer(times + 1))
  redis.call('ZREM', ready, id)
  if marks == 0 then redis.call('ZADD', wake, '0', 'r') end
  return {us, token, at, more, 0, id, tries, due, lease, record, string.sub(reason, 1, REASON)}
end
