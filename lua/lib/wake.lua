-- @include lib/rights.lua
-- @include lib/usual.lua
-- @include lib/digits.lua
-- @include lib/number.lua
-- @include lib/read_scores.lua
-- @include lib/limits.lua
-- @include lib/key_pause.lua
-- wake: marks on which waiting tools block (design: dq-scripts(7), WAITING). A mark is a hint,
-- never data: a tool that pops one calls take or promote to see what there is.
--   wake   'r': a message is ready, and may be leased now (lib/limits.lua). One waiting taker pops
--          it and takes; the script marks again while that holds. The mark goes with the last of
--          them (lib/move.lua), or when no more may be leased.
--          It is also made where a rate or a pause is new: a taker that sleeps without waiting for
--          times (dq-take --no-promote) learns of it from the reply, and waits for them from then
--          on.
--   timer  't', its score the time (ms) of the next move, or from which more may be leased. The
--          tool that pops it is the timekeeper: it holds that time, and releases it with a call, or
--          puts the mark back when it stops waiting. stat.armed is the time of the last such mark:
--          until it has passed there is a timekeeper, and a later time makes no mark. armed is at
--          most the first due time or lease end: a script that adds an earlier one calls wake.
--          Others look first (usual_marks) that theirs is not earlier.
--          A held time that is not stat.armed is an old one, replaced by an earlier time: to
--          release it changes nothing.
--   guard  'u', made with each 't', its score half a second later: the tool that pops it calls at
--          that time, in case the timekeeper is dead. The timekeeper does not hold the guard: both
--          would be lost with it.
-- A script makes marks after all other writes: a mark without its message would wake a tool in
-- vain.

-- next_move(): when the next message becomes due, or the next lease or pause of a key ends (ms), or
-- -1; held messages are never due. A score that is no time, which dq does not write, must not make
-- the reply unreadable.
local function next_move()
  local due = redis.call('ZRANGE', KEYS[DELAYED], 0, 0, 'WITHSCORES')[2]
  local lease = redis.call('ZRANGE', KEYS[LEASED], 0, 0, 'WITHSCORES')[2]
  local at = math.min(tonumber(due) or math.huge, tonumber(lease) or math.huge, key_pause_end())
  if limited_by('s') and limited_by('k') then -- a message that blocks its key may expire
    at = math.min(at,
      tonumber(redis.call('ZRANGE', KEYS[EXPIRY], 0, 0, 'WITHSCORES')[2]) or math.huge)
  end
  return at < HELD and time_within(math.floor(at)) or -1
end

-- armed_at(): the field armed (ms); nil if there is none, or no time.
local function armed_at()
  return whole(redis.call('HGET', KEYS[STAT], 'armed'), 0, WHOLE)
end

-- wake_at(at, now, released): makes the mark of that time (ms, -1 = none) unless a tool holds an
-- earlier one.
local function wake_at(at, now, released)
  local armed = armed_at()
  -- Unheld: no tool holds the armed time any more.
  local unheld = armed and (released == '?' or tonumber(released) == armed)
  if at < 0 then
    if unheld then redis.call('HDEL', KEYS[STAT], 'armed') end
    return
  end
  if armed and armed > now and armed <= at and not unheld then return end
  redis.call('ZADD', KEYS[TIMER], at, 't')
  redis.call('ZADD', KEYS[GUARD], at + GUARD_MS, 'u')
  redis.call('HSET', KEYS[STAT], 'armed', integer(at))
end

-- to_release(held, now, found): what the caller holds (see wake), if it releases that with this
-- call. A time: if it has passed, or if the caller found messages and will work on them. '?': only
-- if it found none.
local function to_release(held, now, found)
  local at = tonumber(held)
  if found and held == '?' or at and not found and at > now then return '' end
  return held
end

-- ready_now(now): 1 if a message is ready and may be leased; else 0, and if it is the limits, or
-- the queue is paused: why, and until when (see allowance).
local function ready_now(now)
  local room, why, till = allowance(now)
  local is_ready = redis.call('ZCARD', KEYS[READY]) > 0
  if is_ready and room > 0 then
    if keys_allow(now) then return 1, NOT_LIMITED, -1 end
    return 0, BY_KEYS, keys_till()
  end
  if is_ready or why == IS_PAUSED then return 0, why, till end
  return 0, NOT_LIMITED, -1
end

-- tells(now): true if a rate or a pause, also of a key, was set within the last TELLS_MS and a
-- message is ready: perhaps no waiting tool keeps its time.
local function tells(now)
  local at = limited_by('[prh]') and whole(redis.call('HGET', KEYS[STAT], 'limits_at'), 0, WHOLE)
  return at and at <= now and now < at + TELLS_MS and redis.call('ZCARD', KEYS[READY]) > 0
end

-- wake(now, released, in_vain): makes the marks. released: the time of the timer (ms) that the
-- caller releases; '?' if the mark may be lost; '' or nil for none. in_vain: of a take that got
-- nothing, and learns why by its reply. Returns 1 if a message is ready and may be leased, else 0;
-- when that may change (ms, -1 = none): the time of the next move, or the end of what limits; why
-- nothing may be leased, and until when, as ready_now has it. While a message can be taken the time
-- of the mark is at most GUARD_MS away: 'r' may be lost with the tool that popped it.
local function wake(now, released, in_vain)
  local more, why, till = ready_now(now)
  local at = next_move()
  if till >= 0 and (at < 0 or till < at) then at = till end
  if more == 1 or till >= 0 and not in_vain and tells(now) then
    redis.call('ZADD', KEYS[WAKE], 0, 'r')
  elseif may('ZREM', KEYS[WAKE], 'r') then
    -- Else it wakes somebody in vain: who may only put needs no more rights for it.
    redis.call('ZREM', KEYS[WAKE], 'r')
  end
  wake_at(more == 1 and (at < 0 or at > now + GUARD_MS) and now + GUARD_MS or at, now,
    released or '')
  return more, at, why, till
end

-- wake_denial(): the error reply if the caller may not run what wake() runs, or nil.
local function wake_denial()
  return denial({'ZCARD', 'ZRANGE', 'HGET', 'ZADD', 'HSET'})
    or limited_by('k') and denial({'HEXISTS'}) or nil
end
