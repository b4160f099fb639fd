#!lua
-- put: nothing -> delayed, or ready where the delay is 0; and what a put of an id that is there does.
-- Refused whole when memory is full.
-- KEYS    see lib/keys.lua
-- ARGV    now       ms, '' = the server's clock
--         mode      what to do with an id that is there: fail keep replace earlier later (lib/again.lua), or repeat: the
--                   same put come again after a lost connection, else as fail
--         priority  0-255, of all of them
--         expire    ms after now, '' = never; must be after the due time
--         then for each message: id; when: MS after now, or @MS since 1970; record (see lib/record.lua; with expire,
--         what follows x=MS in it)
-- Reply   a letter a message, in order: n new, x the id exists, s the same was there (repeat), k kept as it was,
--         r replaced, e made earlier, l made later. An id that is kept unique after its message was settled
--         answers x to fail, k to keep, and is free for the others.
-- Errors  DQTYPE, DQRANGE, DQEXPIRY; all before anything is written
-- @include lib/keys.lua
-- @include lib/given.lua
-- @include lib/clock.lua
-- @include lib/again.lua
-- @include lib/drop.lua
-- @include lib/wake.lua
local given, mode, priority, expire = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4]
local FIRST, SWEEP = 5, 100

-- due_of(when, now, up): the due time in ms, or nil where it is out of range (nan, inf and below 0 included).
local function due_of(when, now, up)
  if when == '0' then return now end
  local delay = tonumber(when)
  if delay and (delay ~= delay or delay < 0) then return nil end
  local due = delay and up + delay or tonumber(string.sub(when, 2))
  return due and due >= 0 and due < SPAN and math.ceil(due) or nil
end

local function is_id(text)
  return #text <= 128 and string.find(text, '^[A-Za-z0-9._:-]+$')
end

-- in_range(header): whoever reads a number that is none takes the default instead, which the caller should hear now.
local function in_range(header)
  for _, letter in ipairs(header ~= '' and {'p', 'r', 't', 'u'} or {}) do
    if field(header, letter) and not number_field(header, letter) then return false end
  end
  return true
end

local refused = refusal(given, 'messages', items(FIRST, 3))
if refused then return refused end
local now, up = clock(given)
if not (priority and priority >= 0 and priority <= 255 and priority % 1 == 0) then
  return redis.error_reply('DQRANGE the priority is not a whole number from 0 to 255')
end
if not again[mode] then return redis.error_reply('DQRANGE no such mode') end
local dies = expire ~= '' and tonumber(expire) and up + tonumber(expire)
if expire ~= '' and not (dies and dies > up and dies < SPAN) then
  return redis.error_reply('DQRANGE the expiry is out of range')
end

local dues = {}
for i = FIRST, #ARGV, 3 do
  local due = due_of(ARGV[i + 1], now, up)
  if not is_id(ARGV[i]) then return redis.error_reply('DQRANGE an id is 1 to 128 of A-Z a-z 0-9 . _ : -') end
  if not in_range(header_of(ARGV[i + 2])) then return redis.error_reply('DQRANGE a number in the header is out of range') end
  if not due then return redis.error_reply('DQRANGE the due time is out of range (before May 2109)') end
  if dies and dies <= due then return redis.error_reply('DQEXPIRY the expiry is not after the due time') end
  dues[#dues + 1] = due
end

-- New messages gather here and are written together.
local fresh = {records = {}, ready = {}, delayed = {}, ids = {}}
local function write_fresh()
  if #fresh.records == 0 then return end
  redis.call('HSET', key.msg, unpack(fresh.records))
  if #fresh.delayed > 0 then redis.call('ZADD', key.delayed, unpack(fresh.delayed)) end
  if #fresh.ready > 0 then redis.call('ZADD', key.ready, unpack(fresh.ready)) end
  count('put', #fresh.records / 2)
  fresh = {records = {}, ready = {}, delayed = {}, ids = {}}
end

local function put_fresh(id, m)
  local state, score = home(m.priority, m.due, now)
  local index, records = fresh[state], fresh.records
  records[#records + 1], records[#records + 2] = id, m.record
  index[#index + 1], index[#index + 2] = score, id
  fresh.ids[id] = true
  return 'n'
end

-- Ids are kept unique until the time that is their score in settled; those past it go, some a call.
local unique = (mode == 'fail' or mode == 'keep' or mode == 'repeat') and redis.call('ZCARD', key.settled) > 0
local function is_taken(id)
  local till = unique and redis.call('ZSCORE', key.settled, id)
  return till and tonumber(till) > now
end

local letters = {}
for i = 1, #dues do
  local at = FIRST + (i - 1) * 3
  local id, m = ARGV[at], {due = dues[i], record = ARGV[at + 2], priority = priority}
  if dies then m.record = 'x=' .. integer(dies) .. m.record end
  if fresh.ids[id] or redis.call('HEXISTS', key.msg, id) == 1 then
    if fresh.ids[id] then write_fresh() end
    letters[i] = again[mode](id, m, now)
  elseif is_taken(id) then
    letters[i] = mode == 'keep' and 'k' or 'x'
  else
    letters[i] = put_fresh(id, m)
  end
end
write_fresh()
if unique then
  local past = redis.call('ZRANGE', key.settled, '-inf', integer(now), 'BYSCORE', 'LIMIT', 0, SWEEP)
  if #past > 0 then redis.call('ZREM', key.settled, unpack(past)) end
end
letters = table.concat(letters)
if string.find(letters, '[nrel]') then wake(now) end
return letters
