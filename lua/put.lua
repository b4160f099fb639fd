#!lua
-- put: nothing -> delayed, or ready where the delay is 0. Refused whole when memory is full.
-- KEYS    see lib/keys.lua
-- ARGV    now       ms, '' = the server's clock
--         mode      'fail': an id that exists is refused; 'repeat': likewise, but a record that is already there,
--                   byte for byte, is the same put come again after a lost connection
--         priority  0-255, of all of them
--         expire    ms after now, '' = never
--         then for each message: id; when: MS after now, or @MS since 1970; record (see lib/record.lua)
-- Reply   a letter a message, in order: n new, x the id exists, s the same was there (repeat)
-- Errors  DQTYPE, DQRANGE; both before anything is written
-- @include lib/keys.lua
-- @include lib/types.lua
-- @include lib/clock.lua
-- @include lib/scores.lua
-- @include lib/drop.lua
local given, mode, priority, expire = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4]
local FIRST = 5

local function same(record, other)
  return string.gsub(record, '^x=%d+', 'x=', 1) == string.gsub(other, '^x=%d+', 'x=', 1)
end

-- due_of(when, now, up): the due time in ms, or nil where it is out of range (nan, inf and below 0 included).
local function due_of(when, now, up)
  if when == '0' then return now end
  local due = tonumber(when) and up + tonumber(when) or tonumber(string.sub(when, 2))
  return due and due >= 0 and due < SPAN and math.ceil(due) or nil
end

local refused = wrong_type()
if refused then return refused end
local now, up = clock(given)
if not (priority and priority >= 0 and priority <= 255 and priority % 1 == 0) then
  return redis.error_reply('DQRANGE priority')
end
local dies = expire ~= '' and tonumber(expire) and up + tonumber(expire)
if expire ~= '' and not (dies and dies > up and dies < SPAN) then return redis.error_reply('DQRANGE expiry') end

local letters, seen, records, delayed, ready = {}, {}, {}, {}, {}
for i = FIRST, #ARGV, 3 do
  local id, due, record = ARGV[i], due_of(ARGV[i + 1], now, up), ARGV[i + 2]
  if not due then return redis.error_reply('DQRANGE due time') end
  if dies then
    if dies <= due then return redis.error_reply('DQEXPIRY the expiry is not after the due time') end
    record = 'x=' .. integer(dies) .. record
  end
  if seen[id] or redis.call('HEXISTS', key.msg, id) == 1 then
    local there = mode == 'repeat' and (seen[id] or redis.call('HGET', key.msg, id))
    letters[#letters + 1] = there and same(there, record) and 's' or 'x'
  else
    letters[#letters + 1], seen[id] = 'n', record
    records[#records + 1], records[#records + 2] = id, record
    local index, score = delayed, delayed_score(priority, due)
    if due <= now then index, score = ready, ready_score(priority, due) end
    index[#index + 1], index[#index + 2] = score, id
  end
end

if #records > 0 then
  redis.call('HSET', key.msg, unpack(records))
  if #delayed > 0 then redis.call('ZADD', key.delayed, unpack(delayed)) end
  if #ready > 0 then redis.call('ZADD', key.ready, unpack(ready)) end
  count('put', #records / 2)
end
return table.concat(letters)
