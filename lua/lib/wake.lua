-- @include lib/keys.lua
-- @include lib/constants.lua
-- @include lib/digits.lua
-- @include lib/scores.lua
-- wake: marks on which waiting tools block (design: dq-scripts(7), WAITING). A mark is a hint, never data: a tool that pops one
-- calls take or promote to see what there is.
--   wake   'r': a message is ready. One waiting taker pops it and takes; the script marks again while more are ready.
--   timer  't', its score the time (ms) of the next move. The tool that pops it is the keeper of that time: it gives the time up
--          with its next call, or puts the mark back when it stops waiting. stat.armed is the time of the last such mark: until
--          it has passed there is a keeper, and a later time makes no mark. So it is never later than what is in delayed and
--          leased: each script that adds to them calls wake, or (lib/plain.lua) adds what is not earlier. A held time that is
--          not stat.armed is an old one, replaced by an earlier time: to give it up changes nothing.
--   guard  'u', made with each 't', its score half a second later: the tool that pops it calls at that time, in case the keeper
--          is dead. The keeper of a time does not keep its guard: both would be lost with it.
-- A script makes marks after all other writes: a mark without its message would wake a tool in vain.

-- next_move(): when the next message becomes due or the next lease ends (ms), or -1. A score that is no time, which dq does not
-- write, must not make the reply unreadable.
local function next_move()
  local due = redis.call('ZRANGE', key.delayed, 0, 0, 'WITHSCORES')[2]
  local lease = redis.call('ZRANGE', key.leased, 0, 0, 'WITHSCORES')[2]
  local at = math.min(tonumber(due) or math.huge, tonumber(lease) or math.huge)
  return at < math.huge and time_within(math.floor(at)) or -1
end

-- wake_at(at, now, kept): makes the mark of that time (ms, -1 = none) unless an earlier one has a keeper.
local function wake_at(at, now, kept)
  local armed = tonumber(redis.call('HGET', key.stat, 'armed') or nil)
  local unkept = armed and (kept == '?' or tonumber(kept) == armed) -- the armed time has no keeper any more
  if at < 0 then
    if unkept then redis.call('HDEL', key.stat, 'armed') end
    return
  end
  if armed and armed > now and armed <= at and not unkept then return end
  redis.call('ZADD', key.timer, at, 't')
  redis.call('ZADD', key.guard, at + GUARD, 'u')
  redis.call('HSET', key.stat, 'armed', integer(at))
end

-- given_up(kept, now, found): the part of kept (see wake) that the caller gives up with this call. A time: if it has passed, or
-- if the caller found messages and will work on them. '?': only if it found none.
local function given_up(kept, now, found)
  local at = tonumber(kept)
  if found and kept == '?' or at and not found and at > now then return '' end
  return kept
end

-- wake(now, kept): makes the marks. kept: the time of the timer (ms) that the caller gives up; '?' if the mark may be lost; ''
-- or nil for none. Three values: 1 if a message is ready to be taken, the time of the next move (ms, -1 = none), 1 if the queue
-- is paused. While a message is ready the time of the mark is at most GUARD away: 'r' may be lost with the tool that popped it.
local function wake(now, kept)
  local paused = redis.call('HEXISTS', key.conf, 'paused')
  local more = paused == 0 and redis.call('ZCARD', key.ready) > 0 and 1 or 0
  local at = next_move()
  if more == 1 then redis.call('ZADD', key.wake, 0, 'r') end
  wake_at(more == 1 and (at < 0 or at > now + GUARD) and now + GUARD or at, now, kept or '')
  return more, at, paused
end
