-- @include lib/plain_clock.lua
-- @include lib/plain_index.lua
-- stat_plain: a queue with messages of which none is ready or due and none can expire. dq-stat without operands finds most
-- queues in this state.

-- field_shards(fields): the number of shards among the fields and values of stat, as known_shards.
local function field_shards(fields)
  for i = 1, #fields, 2 do
    if fields[i] == 'shards' then return fields[i + 1] end
  end
  return false
end

-- sizes(command, keys): how many each of them has; nil if the command is not for its type. An operator finds a foreign key by
-- dq-stat.
local function sizes(command, keys)
  for i = 1, #keys do
    keys[i] = peek(command, keys[i])
    if type(keys[i]) ~= 'number' then return nil end
  end
  return keys
end

-- stat_plain(now_arg): the reply, or nil.
local function stat_plain(now_arg)
  local now = plain_clock(now_arg)
  local msg, delayed, ready, leased, dead, try, stat, wake, conf, settled, timer, expiry, guard = unpack(KEYS)
  if not now or peek('ZCARD', ready) ~= 0 or peek('ZCARD', expiry) ~= 0 then return nil end
  local next_due, fields, paused = first_after(delayed, now), peek('HGETALL', stat), peek('HEXISTS', conf, 'paused')
  if not next_due or fields.err or type(paused) ~= 'number' or field_shards(fields) ~= known_shards(now_arg) then return nil end
  local sets = sizes('HLEN', {msg, try}) and sizes('ZCARD', {delayed, leased, dead, wake, settled, timer, guard})
  if not sets then return nil end
  local later, at_work, failed = unpack(sets, 1, 3)
  if later + at_work + failed == 0 then return nil end
  if later == 0 then next_due = -1 end
  if next_due < SPAN then return {now, later, 0, 0, at_work, failed, -1, -1, next_due, paused, 0, -1, unpack(fields)} end
end
