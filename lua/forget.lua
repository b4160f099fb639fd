#!lua flags=allow-oom
-- forget: removes the keys of a queue that has no message. After it the caller removes the name
-- from the list of queues by unlist. Counters, the pause, reserved ids, marks, the last token and
-- the generation are lost. Still no token and no generation is used twice: the next one is the time
-- in us, which is greater than the last one unless the clock was set back.
-- A queue of several shards stays: the script shards removes it.
-- KEYS    see lib/keys.lua
-- ARGV    now   ms, '' = the server's clock
--         idle  ms since the last take, and since it was last listed (a put does that once an
--               hour); a queue that has settings or reserved ids stays. '' = at once, even then
-- Reply   the generation for unlist, as text; '' if the queue stays
-- Errors  DQTYPE, DQRANGE, DQCLOCK, NOPERM
-- @include lib/keys.lua
-- @include lib/arguments.lua
-- @include lib/rights.lua
-- @include lib/clock.lua
-- @include lib/listed.lua
-- @include lib/limits.lua
-- @include lib/key_pause.lua
local now_arg, idle = ARGV[1], whole(ARGV[2], 0, SPAN)

local refused = refusal(now_arg, 'idle', idle or ARGV[2] == '')
if refused then return refused end
local now, _, us = clock(now_arg)

-- last_use(): ms. It is in the future if the clock was set back: then the queue stays.
local function last_use()
  local token = whole(redis.call('HGET', KEYS[STAT], 'token'), 0, WHOLE) or 0
  return math.max(token / 1000, whole(redis.call('HGET', KEYS[STAT], 'listed'), 0, WHOLE) or 0)
end

-- has_settings(): a pause whose time has passed is none.
local function has_settings()
  local n = redis.call('HLEN', KEYS[CONF]) - (limited_by('h') and #key_pauses(now) or 0)
  if n ~= 1 then return n > 0 end
  local till = pause_end(redis.call('HGET', KEYS[CONF], 'paused'))
  return not (till and till <= now)
end

local function stays()
  if redis.call('HLEN', KEYS[MSG]) > 0 or redis.call('HEXISTS', KEYS[STAT], 'shards') == 1 then
    return true
  end
  if not idle then return false end
  return has_settings() or redis.call('ZCOUNT', KEYS[SETTLED], '(' .. integer(now), '+inf') > 0
    or idle > 0 and now - last_use() < idle
end

if stays() then return '' end
local denied = denial({'UNLINK'})
if denied then return denied end
-- If there is none, the time stands for it: earlier generations are less, later ones greater.
local last = generation() or integer(us - 1)
redis.call('UNLINK', unpack(KEYS)) -- at once: with its keys one by one many queues take much longer
return last
