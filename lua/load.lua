#!lua
-- load: nothing -> the state in which dq-dump found the message. The same load again changes nothing. Redis refuses the
-- whole call when its memory is full.
-- KEYS    see lib/keys.lua
-- ARGV    now   ms, '' = the server's clock
--         mode  if the id is that of another message, or reserved: fail keep replace
--         then for each item: id, place, record. The place of a message (its record: lib/record.lua) is
--           due MS TRIES DUE AGAIN LF REASON     ready if MS has come, else delayed. DUE: of the last delivery; -1 = none
--           leased MS TRIES DUE AGAIN LF REASON  until MS; no receipt is valid. AGAIN: due after it, if rescheduled; or -1
--           dead MS TRIES DUE AGAIN LF REASON    since MS
--         reserved MS            the id is reserved until MS; record is not used
--         begin TOKEN DUMP       of that dump, a number: the queue is paused. Tokens become greater than TOKEN. Id and record
--                                are not used
--         end TOKEN DUMP PAUSED  of it: the queue is no longer paused for that, but for good if PAUSED is 1
-- Reply   a letter an item, in order: n loaded, s the same message exists (reserved: as long; begin, end: that dump was loaded
--         whole: send nothing more of it), r replaced; not loaded: x another message has the id, k likewise (keep), v the id
--         is reserved. Then, if the queue may not be listed, a blank and the generation of its name: see put
-- Errors  DQTYPE, DQRANGE, DQCLOCK, NOPERM; all before anything is written
-- @include lib/keys.lua
-- @include lib/arguments.lua
-- @include lib/rights.lua
-- @include lib/loads.lua
-- @include lib/existing.lua
-- @include lib/settle.lua
-- @include lib/reserved.lua
-- @include lib/counters.lua
-- @include lib/listed.lua
-- @include lib/wake.lua
local now_arg, mode, FIRST = ARGV[1], ARGV[2], 3
local OTHER = ({fail = 'x', keep = 'k', replace = 'r'})[mode]
local loads, wrong = read_loads(FIRST)

local refused = refusal(now_arg, 'mode', OTHER, wrong, loads)
if refused then return refused end
local denied = denial({'HSET', 'HGET', 'HEXISTS', 'HDEL', 'HINCRBY', 'ZADD', 'ZREM', 'ZSCORE', 'ZCARD', 'ZRANGE'})
if denied then return denied end
local now, _, us = clock(now_arg)
local any_reserved_id = redis.call('ZCARD', key.settled) > 0
local plan, fields, entries, without, expiring, seen, puts = {}, {}, {}, {}, {}, {}, 0

-- write(): writes the plan.
local function write()
  if #fields == 0 then return end
  forget_expiries(expiring)
  redis.call('HSET', key.msg, unpack(fields))
  settle(plan, entries)
  if #without > 0 then redis.call('HDEL', key.try, unpack(without)) end
  count('put', puts)
  plan, fields, entries, without, expiring, seen, puts = {}, {}, {}, {}, {}, {}, 0
end

-- prepare(m, there): plans the message, over the record that is there.
local function prepare(m, there)
  local header, state, score = header_of(m.record), m.word, m.at
  if state == 'due' then state, score = home(number_field(header, 'p', PRIORITY), m.at, now) end
  fields[#fields + 1], fields[#fields + 2] = m.id, m.record
  if m.word == 'leased' or m.due >= 0 or m.tries > 0 or m.reason ~= '' then
    local try = {tries = m.tries, token = SETTLED, due = m.due >= 0 and m.due or m.at, header = header, reason = m.reason}
    if m.again >= 0 then try.again = m.again end
    entries[#entries + 1], entries[#entries + 2] = m.id, entry_text(try)
  elseif there then
    without[#without + 1] = m.id
  end
  if there and number_field(header_of(there), 'x') then expiring[#expiring + 1] = m.id end
  plan_add(plan, state, score, m.id, m.word == 'due' and header)
  seen[m.id] = true
end

local load = {}

function load.due(m)
  if seen[m.id] then write() end
  local there = redis.call('HGET', key.msg, m.id)
  local letter = there and OTHER or 'n'
  if mode ~= 'replace' then
    if there == m.record then return 's' end
    if there and has_expired(m.id, there, now) then letter = 'n' end
    if not there and any_reserved_id and is_reserved(m.id, now) then letter = 'v' end
    if letter ~= 'n' then return letter end
    if there then count('expired', 1) end
  end
  prepare(m, there)
  puts = puts + (letter == 'n' and 1 or 0)
  return letter
end
load.leased, load.dead = load.due, load.due

function load.reserved(m)
  local till = tonumber(redis.call('ZSCORE', key.settled, m.id) or nil)
  if m.till <= now or till and till >= m.till then return 's' end
  redis.call('ZADD', key.settled, m.till, m.id)
  any_reserved_id = true
  return 'n'
end

-- edge(m): the beginning or the end of a dump: 's' if that was loaded whole. Nobody takes from the queue in between: what was
-- loaded, taken and acked would come back when the load is repeated.
local function edge(m)
  write()
  if redis.call('HGET', key.stat, 'loaded') == m.dump then return 's' end
  local paused, last = redis.call('HGET', key.conf, 'paused'), tonumber(redis.call('HGET', key.stat, 'token')) or 0
  if m.token > last then redis.call('HSET', key.stat, 'token', integer(m.token)) end
  if m.word == 'end' then redis.call('HSET', key.stat, 'loaded', m.dump) end
  if m.word == 'begin' and not paused or paused == 'load' and m.paused == '1' then
    redis.call('HSET', key.conf, 'paused', m.paused or 'load')
  elseif m.word == 'end' and paused == 'load' then
    redis.call('HDEL', key.conf, 'paused')
  end
  return 'n'
end
load.begin, load['end'] = edge, edge

local letters = {}
for i, m in ipairs(loads) do letters[i] = load[m.word](m) end
write()
letters = table.concat(letters)
local unlisted = not listed_at(now) and (generation() or integer(us))
if unlisted then redis.call('HSET', key.stat, 'generation', unlisted) end
if string.find(letters, '[nr]') then wake(now) end
return unlisted and letters .. ' ' .. unlisted or letters
