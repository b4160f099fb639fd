#!lua flags=allow-oom
-- audit: checks a part of the queue: each body is in one state, each entry of an index and of try
-- has a body, each lease can be settled, and the index of expiries agrees with the records. Each
-- call is atomic: traffic causes no false alarm.
-- KEYS    see lib/keys.lua
-- ARGV    now     ms, '' = the server's clock
--         part    the key to check: leased ready delayed dead try failing expiry outcome keyed msg;
--                 or all: but msg, if all are small
--         cursor  '0' at first, then as replied
--         count   about so many entries, 1-1000
--         repair  '1': repair each fault; no payload is lost
--         shard   which of its shards this is, from 0 on; '' or missing: not checked
-- Reply   next cursor ('0' = the end; '1': too much for all, or two expiries), bytes read, 1 if
--         there are as many bodies as index entries else 0, then for each fault: id, fault. Faults:
--         'no body' (of an entry), 'two states', 'no receipt' (leased, but without a try entry),
--         'no state' (no take finds the body), 'foreign id' (lib/foreign.lua), 'wrong expiry'
--         (lib/expiry.lua), 'wrong age' (lib/failing.lua), 'not reserved' (an outcome), 'wrong
--         key', 'wrong turn' (lib/audit_keys.lua), 'wrong score' (no time, or no priority), 'in the
--         wrong shard' (lib/wrong_shard.lua; none other but of its key); of all: 'wrong limits'
--         (lib/limits.lua; the id is '')
-- Errors  DQTYPE, DQRANGE; DQCLOCK, NOPERM where it repairs
-- Repairs: an entry without body is removed; the first of two states in lib/state.lua stays;
-- without receipt or state: ready; foreign ids: dead, as they are; indexes and limits follow
-- record, state, entry, conf; an outcome goes. In the wrong shard: callers move it
-- @include lib/parts.lua
-- @include lib/audit_keys.lua
-- @include lib/arguments.lua
-- @include lib/clock.lua
-- @include lib/state.lua
-- @include lib/expiry.lua
-- @include lib/audit_repair.lua
-- @include lib/foreign.lua
-- @include lib/wrong_shard.lua
-- @include lib/cursor.lua
-- @include lib/wake.lua
local now_arg, part, cursor, size = ARGV[1], ARGV[2], ARGV[3], whole(ARGV[4], 1, ITEMS)
local repair, shard = ARGV[5] == '1', ARGV[6]
local refused = (repair and refusal or refusal_any_time)(now_arg, 'part', WALKED[part],
  'cursor', is_cursor(cursor), 'count', size, 'shard', is_shard(shard))
if refused then return refused end
local denied = repair and (denial({'HSCAN', 'HEXISTS', 'HGET', 'HSET', 'HDEL', 'HLEN',
  'ZSCAN', 'ZSCORE', 'ZADD', 'ZREM', 'ZCARD', 'ZRANGE'}) or places_denial())
if denied then return denied end
local now = clock(now_arg)
local CURSOR, BYTES, EVEN = 1, 2, 3
local reply = {'0', 0, 0}
local check = {} -- each checks one entry, repairs it if wanted, and returns the fault or nil

function check.index(id)
  if redis.call('HEXISTS', KEYS[MSG], id) == 0 then
    if repair then
      redis.call('ZREM', key[part], id)
      forget_entry(id)
    end
    return 'no body'
  end
  if part ~= 'dead' and is_foreign(id) then
    if repair then set_aside(id, redis.call('HGET', KEYS[MSG], id), now) end
    return FOREIGN
  end
  local first, score = state_of(id)
  if first ~= key[part] then
    if repair then redis.call('ZREM', key[part], id) end
    return 'two states'
  end
  if part == 'leased' and redis.call('HEXISTS', KEYS[TRY], id) == 0 then
    if repair then make_ready(id, header_of(redis.call('HGET', KEYS[MSG], id)), now) end
    return 'no receipt'
  end
  if in_wrong_shard(id, now_arg, shard) then return WRONG_SHARD end
  local wrong, right = score_fault(id, first, score, now, repair)
  return (repair or not wrong) and key_fault(id, first, right, repair) or wrong
end

function check.try(id, entry) return try_fault(id, entry, repair) end
function check.outcome(id) return outcome_fault(id, repair) end
function check.keyed(it, score) return element_fault(it, score, repair) end

function check.failing(id)
  return not failing_agrees(id, (try_of(id) or {}).first, repair) and 'wrong age' or nil
end

function check.expiry(id)
  local record = redis.call('HGET', KEYS[MSG], id)
  reply[BYTES] = reply[BYTES] + #(record or '')
  if not expiry_agrees(id, record and state_of(id), record and header_of(record), repair) then
    return 'wrong expiry'
  end
end

function check.msg(id, record)
  local state = state_of(id)
  if not state then
    if is_foreign(id) then
      if repair then set_aside(id, record, now) end
      return FOREIGN
    end
    if repair then make_ready(id, header_of(record), now) end
    return 'no state'
  end
  if not expiry_agrees(id, state, header_of(record), repair) then return 'wrong expiry' end
end

-- check_from(from): checks a slice of the part, and returns the next cursor.
local function check_from(from)
  local scan = (part == 'try' or part == 'msg' or part == 'outcome') and 'HSCAN' or 'ZSCAN'
  local slice = redis.call(scan, key[part], from, 'COUNT', size)
  for i = 1, #slice[2], 2 do
    local id, value = slice[2][i], slice[2][i + 1]
    reply[BYTES] = reply[BYTES] + #id + #value
    local fault, of = (check[part] or check.index)(id, value)
    if fault then reply[#reply + 1], reply[#reply + 2] = of or id, fault end
  end
  return slice[1]
end

-- check_all(): the limits, and each part to its end. Bodies may be large: at most one is read, of
-- an expiry.
local function check_all()
  if limits_fault(repair) then reply[EVEN + 1], reply[EVEN + 2] = '', 'wrong limits' end
  if not is_small(size) or redis.call('ZCARD', KEYS[EXPIRY]) > 1 then return '1' end
  for name in string.gmatch('leased ready delayed dead try failing expiry outcome keyed', '%a+') do
    part, cursor = name, '0'
    repeat cursor = check_from(cursor) until cursor == '0'
  end
  return '0'
end

cursor = part == 'all' and check_all() or check_from(cursor)
if repair and reply[EVEN + 1] then wake(now) end
reply[CURSOR], reply[EVEN] = cursor, redis.call('HLEN', KEYS[MSG]) == indexed_in_all() and 1 or 0
return reply
