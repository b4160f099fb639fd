#!lua
-- put: nothing -> delayed, or ready where the delay is 0; and what a put of an id that is there does.
-- Refused whole when memory is full.
-- KEYS    see lib/keys.lua
-- ARGV    now       ms, '' = the server's clock
--         mode      what to do with an id that is there: fail keep replace earlier later (lib/again.lua), or repeat: the
--                   same put come again after a lost connection, else as fail. With only- before it (replace, earlier,
--                   later) nothing new is put
--         priority  0-255, of all of them
--         expire    ms after now, '' = never; must be after the due time
--         then for each message: id; when: MS after now, or @MS since 1970; record (see lib/record.lua; with expire,
--         what follows x=MS in it)
-- Reply   a letter a message, in order: n new, x the id exists, s the same was there (repeat), k kept as it was,
--         r replaced, e made earlier, l made later; u no such message (only-). An id that is kept unique after its message
--         was settled answers x to fail, k to keep, ? to repeat (that message may have been this one), and is free
--         for the others. One past its expiry that nobody has leased is no longer there. And of those that cannot be put: o
--         the due time is out of range, y it is not before the expiry (earlier, later: of what is there).
-- Errors  DQTYPE, DQRANGE; all before anything is written
-- @include lib/keys.lua
-- @include lib/given.lua
-- @include lib/clock.lua
-- @include lib/record.lua
-- @include lib/again.lua
-- @include lib/drop.lua
-- @include lib/wake.lua
local given, priority, expire = ARGV[1], whole(ARGV[3], 0, 255), ARGV[4]
local only = string.sub(ARGV[2] or '', 1, 5) == 'only-'
local mode = only and string.sub(ARGV[2], 6) or ARGV[2]
local FIRST, SWEEP = 5, 100

-- due_of(when, now, up): the due time in ms, or nil where it is out of range (nan, inf and below 0 included).
local function due_of(when, now, up)
  if when == '0' then return now end
  local delay = tonumber(when)
  if delay and (delay ~= delay or delay < 0) then return nil end
  local due = delay and up + delay or string.find(when, '^@') and tonumber(string.sub(when, 2))
  return due and due >= 0 and due < SPAN and math.ceil(due) or nil
end

-- ids_valid(), records_valid(): what every other script may rely on. One header serves most batches.
local function ids_valid()
  local argv, find = ARGV, string.find
  for i = FIRST, #argv, 3 do
    local id = argv[i]
    if #id > 128 or not (find(id, '^%w+$') or find(id, '^[%w._:-]+$')) then return false end -- the first is faster
  end
  return true
end

local function records_valid()
  local argv, sub, last = ARGV, string.sub, '\n' -- last: with its LF
  local first = expire == '' and '^[%a\n]' or '^[ \n]' -- the expiry goes in front
  for i = FIRST + 2, #argv, 3 do
    if sub(argv[i], 1, #last) ~= last then
      last = string.match(argv[i], '^[^\n]*\n')
      if not (last and string.find(last, first) and header_valid(sub(last, 1, -2))) then return false end
    end
  end
  return true
end

local whole_items = items(FIRST, 3)
local refused = refusal(given, 'mode', mode and again[mode] and (not only or again_only[mode]), 'priority', priority,
  'messages', whole_items, 'id', whole_items and ids_valid(), 'record', whole_items and records_valid())
if refused then return refused end
local now, up = clock(given)
local dies = whole(expire, 1, SPAN) and up + expire
if expire ~= '' and not (dies and dies < SPAN) then return redis.error_reply('DQRANGE the expiry is out of range') end

-- New messages gather here and are written together. Places are counted and not asked for by #, which is slow.
local records, n, indexes, sizes
local function start_fresh()
  records, n, indexes, sizes = {}, 0, {ready = {}, delayed = {}}, {ready = 0, delayed = 0}
end
start_fresh()

local function write_fresh()
  if n == 0 then return end
  redis.call('HSET', key.msg, unpack(records))
  if sizes.delayed > 0 then redis.call('ZADD', key.delayed, unpack(indexes.delayed)) end
  if sizes.ready > 0 then redis.call('ZADD', key.ready, unpack(indexes.ready)) end
  count('put', n / 2)
  start_fresh()
end

local mine = {} -- ids put by this call, written already or not
local state, score, scored -- of scored, the due time that the last one had
local function put_fresh(id, due, record)
  if due ~= scored then
    state, score = home(priority, due, now)
    score, scored = score_text(score), due
  end
  local index, size = indexes[state], sizes[state]
  records[n + 1], records[n + 2], n = id, record, n + 2
  index[size + 1], index[size + 2], sizes[state] = score, id, size + 2
  mine[id] = true
  return 'n'
end

-- Ids are kept unique until the time that is their score in settled; those past it go, some a call.
local unique = (mode == 'fail' or mode == 'keep' or mode == 'repeat') and redis.call('ZCARD', key.settled) > 0
local function is_taken(id)
  local till = redis.call('ZSCORE', key.settled, id)
  return till and tonumber(till) > now
end
local TAKEN = {fail = 'x', keep = 'k', ['repeat'] = '?'}

local function put(id, due, record)
  if not due then return 'o' end
  if dies and dies <= due then return 'y' end
  if dies then record = 'x=' .. integer(dies) .. record end
  if mine[id] or redis.call('HEXISTS', key.msg, id) == 1 then
    if mine[id] then write_fresh() end
    local m = {due = due, record = record, priority = priority}
    if mine[id] or not has_expired(id, now) then return again[mode](id, m, now) end
    if only then return 'u' end
    again.replace(id, m, now)
    count('expired', 1)
    count('put', 1)
    return 'n'
  end
  if unique and is_taken(id) then return TAKEN[mode] end
  return only and 'u' or put_fresh(id, due, record)
end

local argv, letters, last, due = ARGV, {}, nil, nil -- a local variable is found sooner than a global one
for i = 1, (#argv - FIRST + 1) / 3 do
  local at = FIRST + (i - 1) * 3
  local when = argv[at + 1]
  if when ~= last then last, due = when, due_of(when, now, up) end
  letters[i] = put(argv[at], due, argv[at + 2])
end
write_fresh()
if unique then
  local past = redis.call('ZRANGE', key.settled, '-inf', integer(now), 'BYSCORE', 'LIMIT', 0, SWEEP)
  if #past > 0 then redis.call('ZREM', key.settled, unpack(past)) end
end
letters = table.concat(letters)
if string.find(letters, '[nrel]') then wake(now) end
return letters
