#!lua flags=no-writes
-- stat: reads counts, ages and counters of a queue.
-- KEYS    see lib/keys.lua
-- ARGV    now  ms, '' = the server's clock
-- Reply   now; how many are delayed (due later), due (still in delayed), ready, leased, dead; due time of the oldest ready
--         message, of the earliest due one, and of the next one due later (ms, -1 = none); 1 if paused; how many of the
--         delayed, due and ready are past their expiry; due time of the last message in ready, the newest of its priority (-1 =
--         none); then the stat hash, field and value
-- Errors  DQTYPE, DQRANGE
-- @include lib/stat_plain.lua
local usual = stat_plain(ARGV[1])
if usual then return usual end

-- @include lib/keys.lua
-- @include lib/arguments.lua
-- @include lib/clock.lua
-- @include lib/scores.lua
local now_arg = ARGV[1]

-- size(part): how many it has. Most queues have few of the keys: one that does not exist is not asked.
local function size(part)
  return key_exists(part) and redis.call('ZCARD', key[part]) or 0
end

-- oldest_ready(): reads the first message of each priority that is in use, at most 256.
local function oldest_ready()
  local oldest, from = math.huge, '-inf'
  for _ = 0, key_exists('ready') and 255 or -1 do
    local head = redis.call('ZRANGE', key.ready, from, '+inf', 'BYSCORE', 'LIMIT', 0, 1, 'WITHSCORES')
    if #head == 0 then break end
    local priority, due = ready_split(tonumber(head[2]))
    oldest = math.min(oldest, due)
    from = integer(ready_score(priority + 1, 0))
  end
  return oldest < math.huge and oldest or -1
end

local function last_ready()
  local last = key_exists('ready') and redis.call('ZRANGE', key.ready, -1, -1, 'WITHSCORES') or {}
  local _, due = ready_split(tonumber(last[2]) or 0)
  return #last > 0 and due or -1
end

-- due_by(now): how many in delayed are due.
local function due_by(now)
  return key_exists('delayed') and redis.call('ZCOUNT', key.delayed, '-inf', up_to(now)) or 0
end

local function first_delayed(from, to)
  local head = key_exists('delayed') and redis.call('ZRANGE', key.delayed, from, to, 'BYSCORE', 'LIMIT', 0, 1, 'WITHSCORES') or {}
  return #head > 0 and time_within(math.floor(tonumber(head[2]))) or -1
end

local refused = refusal_any_time(now_arg)
if refused then return refused end
local now = clock(now_arg)
local due = due_by(now)
return {
  now, size('delayed') - due, due, size('ready'), size('leased'), size('dead'),
  oldest_ready(), first_delayed('-inf', up_to(now)), first_delayed(integer(now + 1), '+inf'),
  key_exists('conf') and redis.call('HEXISTS', key.conf, 'paused') or 0,
  key_exists('expiry') and redis.call('ZCOUNT', key.expiry, '-inf', integer(now)) or 0,
  last_ready(),
  unpack(key_exists('stat') and redis.call('HGETALL', key.stat) or {}),
}
