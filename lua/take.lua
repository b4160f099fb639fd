#!lua flags=allow-oom
-- take: ready -> leased. Before that it moves due messages and those with an expired lease, and
-- removes expired messages (a bounded batch of each).
-- KEYS    see lib/keys.lua
-- ARGV    now      ms, '' = the server's clock
--         wanted   at most so many messages
--         ttr      length of the leases in ms, '' = each message's own
--         promote  '1': move and remove first, as above
--         budget   no further message is taken once there are so many bytes of records
--         held     the time (ms) of the timer mark that the caller popped (lib/wake.lua); '' =
--                  none. It is released if messages are returned or the time has passed. '?': the
--                  mark may be lost; it is made again if nothing is returned
--         holder   who takes (lib/holder.lua), at most 100 bytes; '' or missing = not said
-- Reply   now (us), token (of all these deliveries), next due time or lease end (ms, -1 = none; if
--         more is ready perhaps an earlier time; or of the end of what limits takes), 1 if more can
--         be taken; why what is ready cannot be (0 it can, or nothing is ready; 1 the queue is
--         paused, 2 its rate, 3 its max-leased, 4 the keys of all that is ready are blocked), and
--         until when (ms, -1 = not known; 0 it can, but a rate or a pause may soon forbid it); then
--         for each message: id, tries (TRIES+BACK if it was given back BACK times), due ms, lease
--         end ms, record, the last reason (at most 1,000 bytes; '' = none)
-- Errors  DQTYPE, DQRANGE, DQCLOCK, NOPERM
-- @include lib/number.lua
-- @include lib/usual_clock.lua
-- @include lib/holder.lua
-- @include lib/lease.lua
-- @include lib/marks.lua
local now_arg, ttr, promote, held = ARGV[1], ARGV[3], ARGV[4] == '1', ARGV[6] or ''
local wanted, lease_time = whole(ARGV[2], 0, WHOLE), whole(ttr, 0, SPAN)
local budget = whole(ARGV[5], 0, WHOLE)
local ttr_fits, holder = ttr == '' or lease_time, ARGV[7] or ''
local holder_fits, at_holder = is_holder(holder), holder ~= '' and '@' .. holder or ''

-- take_one(): the usual take: one message is ready or none, and nothing is to be moved or removed
-- before. nil: it is not usual.
local function take_one()
  local now, up, us, armed, last_token, taken = usual_clock(now_arg, false, 'token', 'taken')
  last_token, taken = whole(last_token or 0, 0, WHOLE - 1), whole(taken or 0, 0, WHOLE - ITEMS)
  local usual = now and wanted and budget and ttr_fits and holder_fits and last_token and taken
  local head = usual and peek('ZRANGE', KEYS[READY], '0', '0', 'WITHSCORES') or {err = true}
  if head.err then return nil end
  local id, score = head[1], whole(head[2], 0, WHOLE)
  if not id then
    -- @include lib/next_in.lua
    -- @include lib/nothing.lua
    return nothing_ready(now, us, armed, last_token, promote, held)
  end
  if wanted ~= 1 or budget == 0 or not score or held ~= '' and held ~= '?' then return nil end
  local records, entries = peek('HMGET', KEYS[MSG], id), peek('HMGET', KEYS[TRY], id)
  local dies = promote and peek('ZRANGE', KEYS[EXPIRY], '0', '0', 'WITHSCORES') or {}
  if not records[1] or entries.err or dies.err or (tonumber(dies[2]) or SPAN) <= now then
    return nil
  end

  local take = {now = now, up = up, us = us, ttr = lease_time, budget = budget, taken = taken,
    token = integer(math.max(last_token + 1, us)), at_holder = at_holder}
  local reply = plan_leases(take, KEYS[READY], head, {score}, records, entries, 1)
  if take.k == 0 or take.expiring and not is_set(KEYS[EXPIRY]) then return nil end
  -- If armed is to come, it is not later than the next move: nothing is to be promoted. While more
  -- is ready nobody waits for it.
  local left, at, marks = peek('ZCARD', KEYS[READY]), armed
  if left == 1 then
    -- @include lib/next_in.lua
    at = next_in(take.ends)
    marks = at and armed and armed > now and armed <= at and ''
  else
    marks = is_set(KEYS[LEASED]) and usual_marks(armed, now, take.ends, true)
  end
  if not marks then return nil end
  local allowed = may('HSET', KEYS[TRY], '0', '0') and may('ZADD', KEYS[LEASED], '0', '0')
    and may('HINCRBY', KEYS[STAT], '0', '0') and may('ZREM', KEYS[READY], '0')
  if not allowed then return nil end
  write_leases(take, KEYS[READY], head)
  add_marks(marks)
  reply[3], reply[4] = at < HELD and at or -1, left == 1 and 0 or 1
  return reply
end

local reply = take_one()
if reply then return reply end
-- @include lib/arguments.lua
-- @include lib/rights.lua
-- @include lib/supply.lua
-- @include lib/wake.lua
local refused = refusal(now_arg, 'wanted', wanted, 'ttr', ttr_fits, 'budget', budget,
  'holder', holder_fits)
if refused then return refused end
local now, up, us = clock(now_arg)
local known = redis.call('HMGET', KEYS[STAT], 'token', 'taken')
local denied = denial({
  'ZRANGE', 'HMGET', 'ZSCORE', 'ZCOUNT', 'ZCARD', 'ZADD', 'ZREM', 'ZREMRANGEBYRANK',
  'HSET', 'HDEL', 'HINCRBY',
}) or keys_denial() or with_keys and denial({'ZMSCORE'}) or limited_by('h') and denial({'HGETALL'})
if denied then return denied end
end_pause(now)
end_key_pauses(now)
local from, ids, scores = supply(now, us, math.min(wanted, ITEMS), promote)
local records, n = records_within(ids, budget)
scores = scores or head_scores(from, ids, n)
local entries = n > 0 and redis.call('HMGET', KEYS[TRY], unpack(ids, 1, n)) or {}
local take = {now = now, up = up, us = us, ttr = lease_time, budget = budget, at_holder = at_holder,
  taken = whole(known[2], 0, WHOLE - ITEMS) or 0,
  token = integer(math.max((whole(known[1], 0, WHOLE - 1) or 0) + 1, us))}
reply = plan_leases(take, from, ids, scores, records, entries, n)
note_begun(us, take.k)
if with_keys then with_keys.entries, ids = entries, {unpack(ids, 1, take.passed)} end
write_leases(take, from, ids)
if with_keys then with_keys.rotate(take.passed, take.k) end
supplied(from, take.passed, #ids, now)
keep_gone(take.expired or {}, now, 'expired')
drop(take.expired or {})
count('expired', #(take.expired or {}))
reply[4], reply[3], reply[5], reply[6] = wake(now, to_release(held, now, take.k > 0), take.k == 0)
if limited_by('[prh]') and reply[5] == NOT_LIMITED then reply[6] = 0 end
return reply
