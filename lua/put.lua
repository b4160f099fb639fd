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
--         when      of all of them: MS after now, or @MS since 1970; '' = each has its own
--         then for each message: id; when, if that was ''; record (see lib/record.lua; with expire, what follows x=MS in it)
-- Reply   a letter a message, in order: n new, x the id exists, s the same was there (repeat), k kept as it was,
--         r replaced, e made earlier, l made later (both: a leased one, once its delivery ends); u no such message (only-).
--         An id that is kept unique after its message was settled answers x to fail, k to keep, ? to repeat (that message
--         may have been this one), and is free for the others. One past its expiry that nobody has leased is no longer
--         there. And of those that cannot be put: o the due time is out of range, y it is not before the expiry (earlier,
--         later: the later one of what is there and of the put).
--         Then, where something is there that is not known to be listed, a blank and the generation of the queue's name: add the
--         name to the list of queues with that as the score, unless it has a greater one, and then call listed
-- Errors  DQTYPE, DQRANGE, DQCLOCK, NOPERM; all before anything is written
-- @include lib/keys.lua
-- @include lib/given.lua
-- @include lib/rights.lua
-- @include lib/clock.lua
-- @include lib/record.lua
-- @include lib/when.lua
-- @include lib/again.lua
-- @include lib/drop.lua
-- @include lib/expiry.lua
-- @include lib/listed.lua
-- @include lib/wake.lua
local given, priority, expire, common = ARGV[1], whole(ARGV[3], 0, 255), ARGV[4], ARGV[5]
local only = string.sub(ARGV[2] or '', 1, 5) == 'only-'
local mode = only and string.sub(ARGV[2], 6) or ARGV[2]
local argv = ARGV -- a local variable is found sooner than a global one
local FIRST, WIDTH, SWEEP = 6, common == '' and 3 or 2, 100

-- gather_ids(): fills ids; false where one is none, on which every other script relies, as on valid records. All are looked at
-- as one text, which takes half of the time. ascending: so are those of one dq-put, and then none comes twice.
local ids, n, ascending = {}, 0, true
local function gather_ids()
  local last = ''
  for i = FIRST, #argv, WIDTH do
    local id = argv[i]
    if id == '' or #id > 128 then return false end
    ascending = ascending and last < id
    last, n = id, n + 1
    ids[n] = id
  end
  local text = table.concat(ids)
  return string.find(text, '^%w+$') or string.find(text, '^[%w._:-]+$') -- the first is faster
end

-- records_valid(): one header serves most batches. own_expiry: does one name an expiry of its own?
local own_expiry = false
local function records_valid()
  local sub, last = string.sub, '\n' -- last: with its LF
  local first = expire == '' and '^[%a\n]' or '^[ \n]' -- the expiry goes in front
  for i = FIRST + WIDTH - 1, #argv, WIDTH do
    if sub(argv[i], 1, #last) ~= last then
      last = string.match(argv[i], '^[^\n]*\n')
      if not (last and string.find(last, first) and header_valid(sub(last, 1, -2))) then return false end
      own_expiry = own_expiry or string.find(last, 'x=', 1, true)
    end
  end
  return true
end

local whole_items = items(FIRST, WIDTH)
local refused = refusal(given, 'mode', mode and again[mode] and (not only or again_only[mode]), 'priority', priority,
  'messages', whole_items, 'id', whole_items and gather_ids(), 'record', whole_items and records_valid())
if refused then return refused end
local now, up, us = clock(given)
local dies = whole(expire, 1, SPAN) and up + expire
if expire ~= '' and not (dies and dies < SPAN) then return redis.error_reply('DQRANGE the expiry is out of range') end

-- Ids are kept unique until the time that is their score in settled; those past it go, some a call.
local unique = (mode == 'fail' or mode == 'keep' or mode == 'repeat') and redis.call('ZCARD', key.settled) > 0
local function is_taken(id)
  local till = redis.call('ZSCORE', key.settled, id)
  return till and tonumber(till) > now
end
local TAKEN = {fail = 'x', keep = 'k', ['repeat'] = '?'}

local dies_text = dies and integer(dies)
local prefix = dies and 'x=' .. dies_text
local function record_of(i)
  local record = argv[FIRST + i * WIDTH - 1]
  return prefix and prefix .. record or record
end

-- index_own(from, to): the expiries of those of the call, once they have their places.
local function index_own(from, to)
  if not (dies or own_expiry) then return end
  local expiries = {}
  for i = from, to do
    if dies then
      expiries[#expiries + 1], expiries[#expiries + 2] = dies_text, ids[i]
    else
      note_expiry(expiries, ids[i], header_of(record_of(i)))
    end
  end
  index_expiries(expiries)
end

local function when_of(i) return WIDTH == 2 and common or argv[FIRST + 1 + (i - 1) * WIDTH] end

-- places(): what goes into delayed and ready (score, id, score, id...) if all are put; nil where one cannot be. Their sizes are
-- counted and not asked for by #, which is slow.
local function places()
  local indexes, sizes = {ready = {}, delayed = {}}, {ready = 0, delayed = 0}
  local last, state, score, index, size
  for i = 1, n do
    local when = WIDTH == 2 and common or argv[FIRST + 1 + (i - 1) * WIDTH] -- when_of(i), without the cost of a call
    if when ~= last then
      local due = due_of(when, now, up)
      if not due or dies and dies <= due then return nil end
      if state then sizes[state] = size end
      last, state, score = when, home(priority, due, now)
      score, index, size = score_text(score), indexes[state], sizes[state]
    end
    index[size + 1], index[size + 2], size = score, ids[i], size + 2
  end
  return indexes
end

-- any_twice(): is an id there twice in this call?
local function any_twice()
  local seen = {}
  for i = 1, n do
    if seen[ids[i]] then return true end
    seen[ids[i]] = true
  end
  return false
end

-- none_there(): HMGET asks for several in a call, and reads nothing where nothing is. But what is there may be large: so few at a
-- time, and none for a batch that comes again.
local AT_ONCE = 16
local function none_there()
  if redis.call('HEXISTS', key.msg, ids[1]) == 1 then return false end
  for i = 2, n, AT_ONCE do
    local records = redis.call('HMGET', key.msg, unpack(ids, i, math.min(n, i + AT_ONCE - 1)))
    for j = 1, #records do
      if records[j] then return false end
    end
  end
  for i = 1, unique and n or 0 do
    if is_taken(ids[i]) then return false end
  end
  return true
end

local function write_records()
  if WIDTH == 2 and not dies then
    redis.call('HSET', key.msg, unpack(argv, FIRST)) -- as they came
  else
    local records = {}
    for i = 1, n do records[2 * i - 1], records[2 * i] = ids[i], record_of(i) end
    redis.call('HSET', key.msg, unpack(records))
  end
end

-- put_all(): all at once, where none of them is in the queue, and none comes twice: nearly always so, and faster. Else nil, and
-- nothing is written.
local puts = 0
local function put_all()
  local indexes = n > 1 and not only and (ascending or not any_twice()) and none_there() and places()
  if not indexes then return nil end
  write_records()
  if #indexes.delayed > 0 then redis.call('ZADD', key.delayed, unpack(indexes.delayed)) end
  if #indexes.ready > 0 then redis.call('ZADD', key.ready, unpack(indexes.ready)) end
  index_own(1, n)
  puts = n
  return string.rep('n', n)
end

-- meets_expired(): is one of the ids that of a message past its expiry, which the put would replace?
local REPLACES = {'ZSCORE', 'ZREM', 'HDEL'}
local function meets_expired()
  for i = 1, n do
    local there = redis.call('HGET', key.msg, ids[i])
    if there and expired_by(header_of(there), now) then return true end
  end
end

local denied
local function put(i)
  local id, due = ids[i], due_of(when_of(i), now, up)
  if not due then return 'o' end
  if dies and dies <= due then return 'y' end
  local there = redis.call('HGET', key.msg, id)
  local m = {due = due, record = record_of(i), priority = priority, there = there}
  if there then
    denied = n == 1 and expired_by(header_of(there), now) and denial(REPLACES)
    if denied then return '' end
    if not has_expired(id, there, now) then return again[mode](id, m, now) end
    if only then return 'u' end
    again.replace(id, m, now)
    count('expired', 1)
    puts = puts + 1
    return 'n'
  end
  if unique and is_taken(id) then return TAKEN[mode] end
  if only then return 'u' end
  local state, score = home(priority, due, now)
  redis.call('HSET', key.msg, id, m.record)
  redis.call('ZADD', key[state], score_text(score), id)
  index_own(i, i)
  puts = puts + 1
  return 'n'
end

-- Only what changes or replaces a message needs the rights to do so, and only ids that are kept unique those to look and forget.
denied = denial({'HSET', 'ZADD', 'HINCRBY', 'HEXISTS', 'HGET', 'ZCARD', 'ZRANGE'})
  or again_only[mode] and denial(REPLACES) or unique and denial({'ZSCORE', 'ZREM'})
if denied then return denied end
local letters = put_all()
if not letters then
  denied = n > 1 and denial(REPLACES)
  if denied and meets_expired() then return denied end
  denied = nil
  letters = {}
  for i = 1, n do letters[i] = put(i) end
  if denied then return denied end -- by the first and only one
  letters = table.concat(letters)
end
count('put', puts)
-- One that was refused makes no queue.
local unlisted = string.find(letters, '[^ouy?]') and not listed_at(now) and (generation() or integer(us))
if unique then
  local past = redis.call('ZRANGE', key.settled, '-inf', integer(now), 'BYSCORE', 'LIMIT', 0, SWEEP)
  if #past > 0 then redis.call('ZREM', key.settled, unpack(past)) end
end
if unlisted then redis.call('HSET', key.stat, 'generation', unlisted) end
if string.find(letters, '[nrel]') then wake(now) end
return unlisted and letters .. ' ' .. unlisted or letters
