-- @include lib/keys.lua
-- @include lib/read_scores.lua
-- @include lib/due.lua
-- @include lib/expire.lua
-- @include lib/limits.lua
-- @include lib/note_begun.lua
-- supply: the messages that a take may lease, in the order of leasing.
local BATCH = 100 -- moved or removed by a call, if it takes fewer
local IN_ORDER = 400 -- due messages that it moves with keys=serial

-- to_reclaim(wanted): at most so many leases are ended that have expired: more than BATCH, if a
-- take of so many needs their places.
local function to_reclaim(wanted)
  local most = setting_limit('max-leased', 'l', 1)
  local lacking = most and redis.call('ZCARD', KEYS[LEASED]) + wanted - most or 0
  return math.max(BATCH, math.min(lacking, ITEMS))
end

-- due_alone(now, limit, wanted): if a take of so many gets all that promote_due(now, limit) would
-- move, nothing else, and in the order of delayed: these ids and their scores; else nil.
local function due_alone(now, limit, wanted)
  if with_keys or wanted < 1 or redis.call('ZCARD', KEYS[READY]) > 0 then return nil end
  local ids, scores = due_now(now, math.min(limit, wanted + 1))
  if #ids > wanted then return nil end
  for i = 1, #ids do
    if scores[i] < 0 or scores[i] % 1 ~= scores[1] % 1 then
      return nil -- no time, or another priority
    end
  end
  return ids, scores
end

-- pick_some(most, promote, us): of a queue that has messages with keys. One take in sixteen mends
-- first, as promotes do: perhaps there is no other tool.
local function pick_some(most, promote, us)
  -- @include lib/mend_keys.lua
  walk_dead()
  walk_keys()
  local mends = promote and us % 16 == 0
  if mends then mend_keys() end
  local ids, scores = with_keys.pick(most)
  if #ids > 0 or mends or not promote or most < 1 or redis.call('ZCARD', KEYS[READY]) == 0 then
    return ids, scores
  end
  mend_keys()
  return with_keys.pick(most)
end

-- may_lease(now): with keys=serial: has all moved that is due? While it has not, a key may have an
-- earlier message than its first ready one, so nothing is leased. stat.due_till is the time (ms) of
-- the first take that found more due than it moved. Beside producers that are faster than takes
-- that would be for ever: when all that was due at that time has moved, what was due then may be
-- leased (with_keys.till), and the next span begins.
local function may_lease(now)
  local head = tonumber(redis.call('ZRANGE', KEYS[DELAYED], 0, 0, 'WITHSCORES')[2]) or EVER
  local till = redis.call('HGET', KEYS[STAT], 'due_till')
  if head >= now + 1 then
    if till then redis.call('HDEL', KEYS[STAT], 'due_till') end
    return true
  end
  till = whole(till or nil, 0, now)
  if till and head < till + 1 then return false end
  with_keys.till = till
  redis.call('HSET', KEYS[STAT], 'due_till', integer(now))
  return till ~= nil
end

-- supply(now, us, wanted, promote): the index that has them, and their ids, at most as many as the
-- limits allow; maybe also their scores. promote: move and remove first what is due, expired or has
-- no lease any more, which may free places. With keys=serial what is due moves in any case, for the
-- order of the keys. What is leased at once does not pass through ready: this saves a quarter to a
-- third of the time.
local function supply(now, us, wanted, promote)
  if promote then
    reclaim(now, to_reclaim(wanted))
    expire(now, BATCH)
  end
  mend_begun(us)
  local most = math.min(wanted, (allowance(now)))
  local in_order = with_keys and limited_by('s') and most > 0
  if in_order then
    promote_due(now, math.max(IN_ORDER, wanted))
    if not may_lease(now) then return KEYS[READY], {} end
  elseif promote then
    local ids, scores = due_alone(now, math.max(BATCH, wanted), most)
    if ids then return KEYS[DELAYED], ids, scores end
    promote_due(now, math.max(BATCH, wanted))
  end
  if with_keys then return KEYS[READY], pick_some(most, promote, us) end
  return KEYS[READY], most > 0 and redis.call('ZRANGE', KEYS[READY], 0, most - 1) or {}
end

-- supplied(source, passed, n, now): of n messages so many were taken. The others are promoted, as
-- without a take.
local function supplied(source, passed, n, now)
  if source == KEYS[READY] then return end
  count('promoted', passed)
  if passed < n then promote_due(now, n - passed) end
end
