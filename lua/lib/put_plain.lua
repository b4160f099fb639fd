-- @include lib/digits.lua
-- @include lib/plain_clock.lua
-- @include lib/plain_marks.lua
-- @include lib/trace.lua
-- put_plain: nothing -> delayed or ready, for one message whose header is empty or only a trace context. The queue must be
-- listed and have no reserved ids, and no new mark of a time may be needed.

-- plain_due(when, now, up): as due_of (lib/when.lua), or nil.
local function plain_due(when, now, up)
  if when == '0' then return now end
  local at, ms = string.match(when, '^(@?)(%d+)$')
  local due = (at == '@' and 0 or up) + (whole(ms, 0, SPAN) or SPAN)
  return due < SPAN and due or nil
end

local function plain_header(record)
  if string.byte(record) == 10 then return true end
  local parent, state = string.match(record, '^c=([^ \n]+)( ?[^\n]*)\n')
  return parent and is_traceparent(parent)
    and (state == '' or string.find(state, '^ s=.') and is_tracestate(string.sub(state, 4)))
end

-- put_plain(now_arg, mode, priority, expire, when, id, record, more): the reply, or nil.
local function put_plain(now_arg, mode, priority, expire, when, id, record, more)
  if not record or more or mode ~= 'fail' and mode ~= 'keep' or priority ~= '100' or expire ~= '' or not plain_header(record)
    or #id > 128 or not string.find(id, '^[%w._:-]+$') then return nil end
  local msg, delayed, ready, _, _, _, stat, wake, conf, settled = unpack(KEYS)
  local now, up = plain_clock(now_arg)
  local due = now and up < SPAN and plain_due(when, now, up)
  if not due then return nil end
  local known = peek('HMGET', stat, 'armed', 'listed', 'shards')
  local armed, listed = known[1], tonumber(known[2] or nil)
  if known[3] ~= known_shards(now_arg) then return nil end
  if not (listed and listed <= now and now - listed < LISTED_FOR)
    or not time_stands(armed, now, due <= now and now + GUARD or due)
    or peek('HEXISTS', msg, id) ~= 0 or peek('ZCARD', settled) ~= 0 then return nil end

  local index, score, marks = delayed, due, 1
  if due <= now then
    index, score, marks = ready, PRIORITY * SPAN + due, peek('ZCARD', wake)
    if type(marks) ~= 'number' or marks == 0 and peek('HEXISTS', conf, 'paused') ~= 0 then return nil end
  elseif not marks_stand(armed, now, due, ready, wake) then
    return nil
  end
  if type(peek('ZCARD', index)) ~= 'number'
    or not redis.acl_check_cmd('HSET', msg, '0', '0') or not redis.acl_check_cmd('ZADD', index, '0', '0')
    or not redis.acl_check_cmd('HINCRBY', stat, '0', '0') then return nil end
  redis.call('HSET', msg, id, record)
  redis.call('ZADD', index, integer(score), id)
  redis.call('HINCRBY', stat, 'put', '1')
  if marks == 0 then redis.call('ZADD', wake, '0', 'r') end
  return 'n'
end
