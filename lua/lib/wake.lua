-- @include lib/keys.lua
-- @include lib/number.lua
-- @include lib/scores.lua
-- wake: marks for those who wait (design in dq(7)). They are hints, never data: who pops one looks for itself.
--   wake   'r': something is ready. One waiting taker pops it, takes, and marks again while more is ready.
--   timer  't', its score the time (ms) when something is to be done. Who pops it holds that time, and gives it up with its
--          next look, or puts it back when it stops waiting. stat.armed is the time of the last such mark: as long as that is
--          to come, somebody holds it, and later times wake nobody. A time that is not armed is an old one: a mark for an
--          earlier time has replaced it, and who gives it up leaves things as they are.
--   guard  'u', made with each 't', its score half a second later: who pops it looks then, whether the keeper of the time
--          lives or not. Who keeps a time does not keep its guard: both would go with it.
-- The last writes of a script, since a mark without its message would wake somebody in vain.

-- next_move(): when the next message becomes due or the next lease ends (ms), or -1. One score from a foreign hand that is no
-- time must not make a reply one that cannot be read.
local function next_move()
  local due = redis.call('ZRANGE', key.delayed, 0, 0, 'WITHSCORES')[2]
  local lease = redis.call('ZRANGE', key.leased, 0, 0, 'WITHSCORES')[2]
  local at = math.min(tonumber(due) or math.huge, tonumber(lease) or math.huge)
  return at < math.huge and time_within(math.floor(at)) or -1
end

local GUARD = 500 -- ms; common/queue/marks.h mirrors it
local function wake_at(at, now, kept)
  local armed = tonumber(redis.call('HGET', key.stat, 'armed') or nil)
  local given_up = armed and (kept == '?' or tonumber(kept) == armed) -- nobody holds that time any more
  if at < 0 then
    if given_up then redis.call('HDEL', key.stat, 'armed') end
    return
  end
  if armed and armed > now and armed <= at and not given_up then return end
  redis.call('ZADD', key.timer, at, 't')
  redis.call('ZADD', key.guard, at + GUARD, 'u')
  redis.call('HSET', key.stat, 'armed', integer(at))
end

-- given_up(kept, now, found): what of kept, as a caller says it, does it give up with this look? A time that has come, and any
-- time if it found something and turns to work; but a doubt only if it did not.
local function given_up(kept, now, found)
  local at = tonumber(kept)
  if found and kept == '?' or at and not found and at > now then return '' end
  return kept
end

-- wake(now, kept): marks what there is to do. kept: the time of the timer (ms) that the caller gives up; '?' if it may have lost
-- one; '' or nil for none. Three values: 1 if something is ready to be taken, the time of the next move (ms, -1 = none), 1 if the
-- queue is paused. As long as something is ready the time comes soon: the 'r' may have gone with whoever popped it.
local function wake(now, kept)
  local paused = redis.call('HEXISTS', key.conf, 'paused')
  local more = paused == 0 and redis.call('ZCARD', key.ready) > 0 and 1 or 0
  local at = next_move()
  if more == 1 then redis.call('ZADD', key.wake, 0, 'r') end
  wake_at(more == 1 and (at < 0 or at > now + GUARD) and now + GUARD or at, now, kept or '')
  return more, at, paused
end
