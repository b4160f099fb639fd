#!lua flags=allow-oom
-- forget: a queue without a message -> nothing: its keys go. Then its name goes from the list of queues, by unlist. What goes
-- with the keys: counters, the pause, the ids that are kept unique, marks, the last token and the generation. No token and no
-- generation comes twice for that: the next one is the time in us, and that has passed the last one unless the clock went back.
-- KEYS    see lib/keys.lua
-- ARGV    now   ms, '' = the server's clock
--         idle  ms since its last take, and since it was last listed, which puts do once an hour; and then it goes only if it
--               is not paused and keeps no ids unique. '' = at once, whatever it keeps
-- Reply   the generation up to which its name goes from the list, as text; '' where the queue stays
-- Errors  DQTYPE, DQRANGE, DQCLOCK, NOPERM
-- @include lib/keys.lua
-- @include lib/given.lua
-- @include lib/rights.lua
-- @include lib/clock.lua
-- @include lib/listed.lua
local given, idle = ARGV[1], whole(ARGV[2], 0, SPAN)

local refused = refusal(given, 'idle', idle or ARGV[2] == '')
if refused then return refused end
local now, _, us = clock(given)

-- last_use(): ms. A clock that went back makes it one that is to come: then the queue stays.
local function last_use()
  local token = whole(redis.call('HGET', key.stat, 'token'), 0, WHOLE) or 0
  return math.max(token / 1000, whole(redis.call('HGET', key.stat, 'listed'), 0, WHOLE) or 0)
end

local function stays()
  if redis.call('HLEN', key.msg) > 0 then return true end
  if not idle then return false end
  return redis.call('HLEN', key.conf) > 0 or redis.call('ZCOUNT', key.settled, '(' .. integer(now), '+inf') > 0
    or idle > 0 and now - last_use() < idle
end

if stays() then return '' end
local denied = denial({'UNLINK'})
if denied then return denied end
-- Whoever has put here before has another generation, and that is less than all that are to come.
local last = generation() or integer(us - 1)
for _, part in pairs(key) do redis.call('UNLINK', part) end
return last
