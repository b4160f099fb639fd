#!lua flags=allow-oom
-- take: ready -> leased. Before that it moves due messages and those with an expired lease, and removes expired messages (a
-- bounded batch of each).
-- KEYS    see lib/keys.lua
-- ARGV    now      ms, '' = the server's clock
--         wanted   at most so many messages
--         ttr      length of the leases in ms, '' = each message's own
--         promote  '1': move and remove first, as above
--         budget   no further message is taken once there are so many bytes of records
--         held     the time of the timer (ms) that the caller holds (lib/wake.lua); '' = none; '?' = the mark may be lost. A
--                  time is released if messages are taken or it has passed. A lost mark is made again if none are taken
-- Reply   now (us), token (of all these deliveries), next due time or lease end (ms, -1 = none; if more is ready perhaps an
--         earlier time), 1 if more is ready, 1 if the queue is paused (then no messages follow); then for each message: id,
--         tries, due ms, lease end ms, record, the last reason (at most 1,000 bytes; '' = none)
-- Errors  DQTYPE, DQRANGE, DQCLOCK, NOPERM
-- @include lib/take_plain.lua
local usual, nothing = take_plain(unpack(ARGV, 1, 6))
if usual then return usual end
-- @include lib/nothing_plain.lua
usual = nothing and nothing_plain(ARGV[1], ARGV[4], ARGV[6] or '')
if usual then return usual end

-- @include lib/keys.lua
-- @include lib/arguments.lua
-- @include lib/rights.lua
-- @include lib/clock.lua
-- @include lib/record.lua
-- @include lib/supply.lua
-- @include lib/last_first.lua
-- @include lib/counters.lua
-- @include lib/wake.lua
local now_arg, ttr, promote, held = ARGV[1], ARGV[3], ARGV[4], ARGV[6]
local wanted, lease_time, budget = whole(ARGV[2], 0, WHOLE), whole(ttr, 0, SPAN), whole(ARGV[5], 0, WHOLE)

local refused = refusal(now_arg, 'wanted', wanted, 'ttr', ttr == '' or lease_time, 'budget', budget)
if refused then return refused end
local now, up, us = clock(now_arg)
wanted = math.min(wanted, ITEMS)
local paused = redis.call('HEXISTS', key.conf, 'paused')
local last_token = tonumber(redis.call('HGET', key.stat, 'token')) or 0
local denied = denial({
  'ZRANGE', 'HMGET', 'ZSCORE', 'ZCOUNT', 'ZCARD', 'ZADD', 'ZREM', 'ZREMRANGEBYRANK', 'HSET', 'HDEL', 'HINCRBY',
})
if denied then return denied end
local source, ids, scores = supply(now, wanted, promote == '1', paused)
local records, n = records_within(ids, budget)
scores = scores or head_scores(source, ids, n)
local entries = n > 0 and redis.call('HMGET', key.try, unpack(ids, 1, n)) or {}
local token = integer(math.max(last_token + 1, us))

-- lease_of(header): the end of the lease, as text, too; and the expiry, if there is one.
local function lease_of(header)
  local lease = math.min(up + (lease_time or number_field(header, 't', TTR)), SPAN - 1)
  return lease, integer(lease), number_field(header, 'x')
end

-- due_from(score): the due time, and K of the counter late:K. frexp is exact; a quotient of logarithms is not.
local split = source == 'ready' and ready_split or delayed_split
local function due_from(score)
  local _, due = split(score)
  local _, bucket = math.frexp(math.max(now - due, 0))
  return due, bucket
end

-- Neighbours often have the same header and the same score: these values are kept until one of them changes.
local header, lease, lease_text, expires, score, due, bucket, first
-- Indexes are tracked here: #t costs O(log n), half the time of a large batch.
local reply, leases, tries, expired, late, expiring = {us, token, -1, 0, paused}, {}, {}, {}, {}, {}
local k, passed, bytes = 0, 0, 0
while passed < n and bytes < budget do
  passed = passed + 1
  local id, record = ids[passed], records[passed]
  if record then -- else an index entry without a body: it is removed
    local of_record = header_of(record)
    if of_record ~= header then
      header, first = of_record, nil
      lease, lease_text, expires = lease_of(header)
    end
    if scores[passed] ~= score then
      score, first = scores[passed], nil
      due, bucket = due_from(score)
    end
    if expires and expires <= now then
      expired[#expired + 1] = id
    else
      local try = entries[passed] and next_try(entries[passed], token, due, header)
      if not try then first = first or first_text(token, due, header) end
      k = k + 1
      leases[k * 2 - 1], leases[k * 2] = lease_text, id
      tries[k * 2 - 1], tries[k * 2] = id, try and entry_text(try) or first
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
  redis.call('ZADD', key.leased, unpack(last_first(leases, k)))
  write_tries(tries, k)
  redis.call('HSET', key.stat, 'token', token)
  count('taken', k)
  for power, times in pairs(late) do count('late:' .. power, times) end -- deliveries less than 2^power ms late
end
supplied(source, passed, #ids, now)
forget_expiries(expiring)
drop(expired)
count('expired', #expired)
reply[4], reply[3] = wake(now, to_release(held, now, k > 0))
return reply
