#!lua flags=allow-oom
-- take: ready -> leased, after what is due and what ran out of its lease has moved (a bounded batch).
-- KEYS    see lib/keys.lua
-- ARGV    now      ms, '' = the server's clock
--         wanted   at most so many messages
--         ttr      length of the leases in ms, '' = each message's own
--         promote  '1': move what is due first
--         budget   bytes of records after which no further message is taken
--         held     '1': the caller holds a time of the timer (lib/wake.lua), and gives it up
-- Reply   now (us), token (of all these deliveries), next due time or lease end (ms, -1 = none), 1 if more is ready, 1 if the
--         queue is paused (then nothing is given); then for each message: id, tries, due ms, lease end ms, record
-- Errors  DQTYPE, DQRANGE
-- @include lib/keys.lua
-- @include lib/given.lua
-- @include lib/clock.lua
-- @include lib/record.lua
-- @include lib/due.lua
-- @include lib/wake.lua
local given, ttr, promote = ARGV[1], ARGV[3], ARGV[4]
local wanted, lease_time, budget = whole(ARGV[2], 0, WHOLE), whole(ttr, 0, SPAN), whole(ARGV[5], 0, WHOLE)
local BATCH, FIRST_TRY = 100, {tries = 0, reason = ''}

-- lateness is counted in powers of two: late:K counts deliveries that were less than 2^K ms late.
local function count_lateness(late)
  for bucket, n in pairs(late) do count('late:' .. bucket, n) end
end

local refused = refusal(given, 'wanted', wanted, 'ttr', ttr == '' or lease_time, 'budget', budget)
if refused then return refused end
local now, up, us = clock(given)
wanted = math.min(wanted, ITEMS)
if promote == '1' then
  reclaim(now, BATCH)
  promote_due(now, math.max(BATCH, wanted))
end

local paused = redis.call('HEXISTS', key.conf, 'paused')
local ids = {}
local head = paused == 0 and wanted > 0 and redis.call('ZRANGE', key.ready, 0, wanted - 1, 'WITHSCORES') or {}
for i = 1, #head, 2 do
  ids[(i + 1) / 2] = head[i]
end
local records, n = records_within(ids, budget)
local entries = n > 0 and redis.call('HMGET', key.try, unpack(ids, 1, n)) or {}
local token = integer(math.max((tonumber(redis.call('HGET', key.stat, 'token')) or 0) + 1, us))

-- Places are counted and not asked for by #, which is half the time of a large batch.
local reply, leases, tries, taken, expired, gone, late, bytes, k = {}, {}, {}, {}, {}, {}, {}, 0, 0
for i = 1, n do
  local id, record = ids[i], records[i]
  local header = record and header_of(record)
  if not record then
    gone[#gone + 1] = id -- an index entry without a body: nothing is left to lose
  elseif number_field(header, 'x', SPAN) <= now then
    expired[#expired + 1] = id
  elseif bytes < budget then
    local _, due = ready_split(tonumber(head[i * 2]))
    local try = entries[i] and try_parse(entries[i]) or FIRST_TRY
    local lease = math.min(up + (lease_time or number_field(header, 't', TTR)), SPAN - 1)
    k = k + 1
    taken[k] = id
    leases[k * 2 - 1], leases[k * 2] = integer(lease), id
    tries[k * 2 - 1], tries[k * 2] = id, try_text(try.tries + 1, token, due, header, try.reason)
    local r = (k - 1) * 5
    reply[r + 1], reply[r + 2], reply[r + 3], reply[r + 4], reply[r + 5] = id, try.tries + 1, due, lease, record
    local _, bucket = math.frexp(math.max(now - due, 0)) -- exact, which a quotient of logarithms is not
    late[bucket] = (late[bucket] or 0) + 1
    bytes = bytes + #record
  end
end

if k > 0 then
  redis.call('ZADD', key.leased, unpack(leases))
  redis.call('HSET', key.try, unpack(tries))
  redis.call('HSET', key.stat, 'token', token)
  count('taken', k)
  count_lateness(late)
  redis.call('ZREM', key.ready, unpack(taken))
end
drop(expired)
count('expired', #expired)
if #gone > 0 then redis.call('ZREM', key.ready, unpack(gone)) end
local more, at = wake(now, ARGV[6] == '1')
return {us, token, at, more, paused, unpack(reply)}
