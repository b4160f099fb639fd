#!lua flags=no-writes
-- stat: reads counts, ages and counters of a queue.
-- KEYS    see lib/keys.lua
-- ARGV    now  ms, '' = the server's clock
-- Reply   now; how many are delayed (due later), due (still in delayed), ready, leased, dead; due
--         time of the oldest ready message, of the earliest due one, and of the next one due later
--         (ms, -1 = none); 0, 1 if the queue is paused for good or until a load ends, or the end of
--         its pause (ms); its settings, -1 = none: max-leased, rate: so many, in so many ms,
--         max-len; keys: 0 (no message ever had one), 1 (fair), 2 (serial) or 3 (serial,stop), and
--         key-limit; how many deliveries began within the time of the rate (-1: no rate); why
--         nothing may be leased now (0: something may; 1 to 4 as in the reply of take), and until
--         when (ms, -1 = not known); how many of the delayed, due and ready are past their expiry;
--         due time of the last message in ready, the newest of its priority (-1 = none); how many
--         failed and are not done or dead yet, and when the one of them was due that was due first,
--         for the first time (ms, -1 = none); how many of the delayed are held; due time of the
--         first ready message that is not delivered because its key is blocked (ms, -1 = none of
--         those looked at), and what blocks that key, as in the reply of keys; due time of the
--         first ready one that no key holds back (ms, -1 = none); how many paused keys have ready
--         messages, and how many these are; that blocked key ('' = none); then the stat hash, field
--         and value
-- Errors  DQTYPE, DQRANGE
-- @include lib/parts.lua
-- @include lib/usual.lua
-- @include lib/valid_time.lua
-- @include lib/shards.lua
-- @include lib/clock.lua
-- @include lib/read_scores.lua
-- @include lib/key_pause.lua
local now_arg = ARGV[1]
local before_held = '(' .. integer(HELD)
local failed = false -- a read failed: the key has a foreign type, or the caller has no right

-- look(command, part, ...): a read; 0 if it fails.
local function look(command, part, ...)
  local got = peek(command, key[part], ...)
  if type(got) ~= 'table' or not got.err then return got end
  failed = true
  return 0
end

-- oldest_ready(from, to): due time of the first message in that range of ready (EVER: none), from
-- the first message of each priority that is in use: at most 256 without a key, and with one.
local function oldest_ready(from, to)
  local oldest = EVER
  for _ = 0, 255 do
    local head = redis.call('ZRANGE', KEYS[READY], from, to, 'BYSCORE',
      'LIMIT', 0, 1, 'WITHSCORES')
    if #head == 0 then break end
    local score = ready_within(tonumber(head[2]))
    local priority, due = ready_split(score)
    oldest = math.min(oldest, due)
    from = integer(math.max(score - due + SPAN, ready_score(priority + 1, 0)))
  end
  return oldest
end

local function or_none(at)
  return at < EVER and at or -1
end

local function last_ready()
  local last = redis.call('ZRANGE', KEYS[READY], -1, -1, 'WITHSCORES')
  local _, due = ready_split(tonumber(last[2]))
  return due
end

local function first_failing()
  local first = redis.call('ZRANGE', KEYS[FAILING], 0, 0, 'WITHSCORES')
  return time_within(math.floor(tonumber(first[2])))
end

-- first_of(from, to): in delayed: the due time of the first of them in that range (ms, -1 = none).
local function first_of(from, to)
  local head = redis.call('ZRANGE', KEYS[DELAYED], from, to, 'BYSCORE', 'LIMIT', 0, 1, 'WITHSCORES')
  return #head > 0 and time_within(math.floor(tonumber(head[2]))) or -1
end

-- keys_set(): how messages with keys are served.
local function keys_set()
  local word = limited_by('s') and redis.call('HGET', KEYS[CONF], 'keys')
  return word == STOP and 3 or word == 'serial' and 2 or limited_by('k') and 1 or 0
end

-- of_keys(now, keyless): what survey has seen.
local function of_keys(now, keyless)
  if not limited_by('k') or not limited_by('[nsh]') then return {} end
  -- @include lib/survey.lua
  return survey(now, keyless)
end

-- limited(now, ready, none): pause, settings, and what is allowed: ten values of the reply. none:
-- the keys of all that is ready are blocked.
local function limited(now, ready, none)
  if not limits() then return 0, -1, -1, -1, -1, 0, -1, -1, 0, -1 end
  local pause, till = pause_now(now)
  local count, span = setting_rate()
  local _, why, at = allowance(now)
  local _, _, us = clock(now_arg)
  -- If another limit holds back first, and not for good, the rate may do so for longer.
  local from = (why == BY_LEASED or why == IS_PAUSED and at >= 0) and select(2, rate_now(us))
  if from then at = math.max(at, math.ceil(from / 1000)) end
  if why == NOT_LIMITED and ready > 0 and (none or not keys_allow(now)) then
    why, at = BY_KEYS, keys_till()
  end
  return not pause and 0 or till >= 0 and till or 1, setting_limit('max-leased', 'l', 1) or -1,
    count or -1, span and span / 1000 or -1, setting_limit('max-len', 'm', 0) or -1,
    keys_set(), setting_limit('key-limit', 'n', 1) or -1,
    count and begun_after(us - span) or count and 0 or -1, why, at
end

-- counts(now): the reply; nil if a read failed.
local function counts(now)
  local delayed, ready = look('ZCARD', 'delayed'), look('ZCARD', 'ready')
  local expiry, leased = look('ZCARD', 'expiry'), look('ZCARD', 'leased')
  local dead, fields = look('ZCARD', 'dead'), look('HGETALL', 'stat')
  local failing = look('ZCARD', 'failing')
  -- By dq-stat an operator finds a foreign key.
  for _, part in ipairs({'msg', 'try', 'conf', 'outcome'}) do look('HEXISTS', part, '') end
  for _, part in ipairs({'wake', 'settled', 'timer', 'guard', 'begun', 'keyed', 'turn'}) do
    look('ZCARD', part)
  end
  if failed then return nil end
  local due = delayed > 0 and redis.call('ZCOUNT', KEYS[DELAYED], '-inf', up_to(now)) or 0
  local keyless = ready > 0 and oldest_ready('-inf', '(' .. integer(KEYED_FROM)) or EVER
  local keyed = ready > 0 and oldest_ready(integer(KEYED_FROM), '+inf') or EVER
  local held = keyed < EVER and of_keys(now, keyless < EVER) or {}
  local paused, most, count, ms, len, keys, of_key, begun, why, till =
    limited(now, ready, held.none)
  return {
    now, delayed - due, due, ready, leased, dead,
    or_none(math.min(keyless, keyed)), due > 0 and first_of('-inf', up_to(now)) or -1,
    delayed > due and first_of(integer(now + 1), before_held) or -1,
    paused, most, count, ms, len, keys, of_key, begun, why, till,
    expiry > 0 and redis.call('ZCOUNT', KEYS[EXPIRY], '-inf', integer(now)) or 0,
    ready > 0 and last_ready() or -1, failing, failing > 0 and first_failing() or -1,
    delayed > due and redis.call('ZCOUNT', KEYS[DELAYED], integer(HELD), '+inf') or 0,
    or_none(held.blocked or EVER), held.by or 0, or_none(math.min(keyless, held.free or keyed)),
    held.keys or 0, held.messages or 0, held.key or '',
    unpack(fields),
  }
end

local usual = valid_time(now_arg) and look('HGET', 'stat', 'shards') == known_shards(now_arg)
  and not failed
local reply = usual and counts((clock(now_arg)))
if reply then return reply end
-- @include lib/arguments.lua
failed = false
return refusal_any_time(now_arg) or counts((clock(now_arg)))
