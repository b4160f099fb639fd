-- @include lib/keys.lua
-- @include lib/clock.lua
-- wake: marks for those who wait (design in dq(7)). They are hints, never data: who pops one looks for itself.
--   wake   'r': something is ready. One waiting taker pops it, takes, and marks again while more is ready.
--   timer  't', its score the time (ms) when something is to be done. Who pops it holds that time, and gives it up with its
--          next look (spent: the script marks the next time whatever was), or puts it back when it stops waiting.
--          stat.armed is the time of the last such mark, so that later ones wake nobody.
-- The last writes of a script, since a mark without its message would wake somebody in vain.

-- next_move(): when the next message becomes due or the next lease ends (ms), or -1.
local function next_move()
  local due = redis.call('ZRANGE', key.delayed, 0, 0, 'WITHSCORES')[2]
  local lease = redis.call('ZRANGE', key.leased, 0, 0, 'WITHSCORES')[2]
  local at = math.min(tonumber(due) or math.huge, tonumber(lease) or math.huge)
  return at < math.huge and math.floor(at) or -1
end

local function wake_at(at, now, spent)
  if at < 0 then
    if spent then redis.call('HDEL', key.stat, 'armed') end -- nobody holds that time any more
    return
  end
  local armed = not spent and tonumber(redis.call('HGET', key.stat, 'armed') or nil)
  if armed and armed > now and armed <= at then return end
  redis.call('ZADD', key.timer, at, 't')
  redis.call('HSET', key.stat, 'armed', integer(at))
end

-- wake(now, spent): marks what there is to do. spent: the caller gives up a time of the timer. Three values: 1 if something is
-- ready to be taken, the time of the next move (ms, -1 = none), 1 if the queue is paused.
local function wake(now, spent)
  local paused = redis.call('HEXISTS', key.conf, 'paused')
  local more = paused == 0 and redis.call('ZCARD', key.ready) > 0 and 1 or 0
  local at = next_move()
  if more == 1 then redis.call('ZADD', key.wake, 0, 'r') end
  wake_at(at, now, spent)
  return more, at, paused
end
