#!lua flags=allow-oom
-- take: ready -> leased, after what is due and what ran out of its lease has moved, and what has expired is gone (a bounded
-- batch of each).
-- KEYS    see lib/keys.lua
-- ARGV    now      ms, '' = the server's clock
--         wanted   at most so many messages
--         ttr      length of the leases in ms, '' = each message's own
--         promote  '1': move what is due first
--         budget   bytes of records after which no further message is taken
--         held     the time of the timer (ms) that the caller holds (lib/wake.lua), '' = none, '?' = it may have lost one. If
--                  messages are given the time is given up, else only if it has come; and then what was lost is marked anew
-- Reply   now (us), token (of all these deliveries), next due time or lease end (ms, -1 = none), 1 if more is ready, 1 if the
--         queue is paused (then nothing is given); then for each message: id, tries, due ms, lease end ms, record, why the last
--         delivery ended (at most 1,000 bytes; '' where there was none, or nobody said)
-- Errors  DQTYPE, DQRANGE, DQCLOCK, NOPERM
-- @include lib/keys.lua
-- @include lib/given.lua
-- @include lib/rights.lua
-- @include lib/clock.lua
-- @include lib/record.lua
-- @include lib/due.lua
-- @include lib/expire.lua
-- @include lib/wake.lua
local given, ttr, promote, held = ARGV[1], ARGV[3], ARGV[4], ARGV[6]
local wanted, lease_time, budget = whole(ARGV[2], 0, WHOLE), whole(ttr, 0, SPAN), whole(ARGV[5], 0, WHOLE)
local BATCH, REASON = 100, 1000

-- lateness is counted in powers of two: late:K counts deliveries that were less than 2^K ms late.
local function count_lateness(late)
  for bucket, n in pairs(late) do count('late:' .. bucket, n) end
end

local refused = refusal(given, 'wanted', wanted, 'ttr', ttr == '' or lease_time, 'budget', budget)
if refused then return refused end
local now, up, us = clock(given)
wanted = math.min(wanted, ITEMS)
local paused = redis.call('HEXISTS', key.conf, 'paused')
local last_token = tonumber(redis.call('HGET', key.stat, 'token')) or 0
local denied = denial({
  'ZRANGE', 'HMGET', 'ZSCORE', 'ZCOUNT', 'ZCARD', 'ZADD', 'ZREM', 'ZREMRANGEBYRANK', 'HSET', 'HDEL', 'HINCRBY',
})
if denied then return denied end
if promote == '1' then
  reclaim(now, BATCH)
  expire(now, BATCH)
  promote_due(now, math.max(BATCH, wanted))
end

local ids = paused == 0 and wanted > 0 and redis.call('ZRANGE', key.ready, 0, wanted - 1) or {}
local records, n = records_within(ids, budget)
local scores = head_scores('ready', ids, n)
local entries = n > 0 and redis.call('HMGET', key.try, unpack(ids, 1, n)) or {}
local token = integer(math.max(last_token + 1, us))

-- What follows from a header or from a due time is worked out once for neighbours that have the same.
local header, expired_now, expires, lease, lease_text
local function read_header(text)
  if text == header then return end
  header, expires = text, number_field(text, 'x')
  expired_now = expires and expires <= now
  lease = math.min(up + (lease_time or number_field(text, 't', TTR)), SPAN - 1)
  lease_text = integer(lease)
end

local score, due, bucket
local function read_score(number)
  if number == score then return end
  score = number
  local _
  _, due = ready_split(number)
  _, bucket = math.frexp(math.max(now - due, 0)) -- exact, which a quotient of logarithms is not
end

local first, first_due, first_header
local function first_try()
  if due ~= first_due or header ~= first_header then
    first, first_due, first_header = entry_text({tries = 1, token = token, due = due, header = header, reason = ''}), due, header
  end
  return first
end

-- next_try(entry): this delivery, of a message that was delivered before.
local function next_try(entry)
  local try = try_parse(entry)
  try.tries, try.token, try.due, try.again, try.header = try.tries + 1, token, due, nil, header
  return try
end

-- Indexes are tracked here: #t costs O(log n), half the time of a large batch.
local reply, leases, tries, expired, late, expiring = {us, token, -1, 0, paused}, {}, {}, {}, {}, {}
local k, passed, bytes = 0, 0, 0
while passed < n and bytes < budget do
  passed = passed + 1
  local id, record = ids[passed], records[passed]
  if record then -- else an index entry without a body: nothing is left to lose
    read_header(header_of(record))
    if expired_now then
      expired[#expired + 1] = id
    else
      read_score(scores[passed])
      local try = entries[passed] and next_try(entries[passed])
      k = k + 1
      leases[k * 2 - 1], leases[k * 2] = lease_text, id
      tries[k * 2 - 1], tries[k * 2] = id, try and entry_text(try) or first_try()
      local r = k * 6 - 1
      reply[r + 1], reply[r + 2], reply[r + 3], reply[r + 4], reply[r + 5] = id, try and try.tries or 1, due, lease, record
      reply[r + 6] = try and string.sub(try.reason, 1, REASON) or ''
      late[bucket] = (late[bucket] or 0) + 1
      if expires then expiring[#expiring + 1] = id end
      bytes = bytes + #record
    end
  end
end

if k > 0 then
  redis.call('ZADD', key.leased, unpack(leases))
  write_tries(tries, k)
  redis.call('HSET', key.stat, 'token', token)
  count('taken', k)
  count_lateness(late)
end
if passed > 0 then redis.call('ZREMRANGEBYRANK', key.ready, 0, passed - 1) end
forget_expiries(expiring)
drop(expired)
count('expired', #expired)
reply[4], reply[3] = wake(now, given_up(held, now, k > 0))
return reply
