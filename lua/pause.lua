#!lua flags=allow-oom
-- pause: pauses or resumes a queue. A paused queue accepts puts and moves due messages; take returns no messages.
-- KEYS    see lib/keys.lua
-- ARGV    now  ms, '' = the server's clock
--         '1' pause, 'load' pause until a load ends (see load) if it is not paused yet, '0' resume. After '1' and '0' another
--         dump may be loaded, even if one was not loaded to its end
-- Reply   1 if it was paused before, else 0
-- Errors  DQTYPE, DQRANGE, DQCLOCK, NOPERM
-- @include lib/keys.lua
-- @include lib/arguments.lua
-- @include lib/rights.lua
-- @include lib/clock.lua
-- @include lib/claim.lua
-- @include lib/wake.lua
local now_arg, pause = ARGV[1], ARGV[2]

local refused = refusal(now_arg, 'neither 0, 1 nor load', pause == '0' or pause == '1' or pause == 'load')
if refused then return refused end
local now = clock(now_arg)
local was = redis.call('HEXISTS', KEYS[CONF], 'paused')
local denied = denial({'HSET', 'HDEL', 'ZADD', 'ZCARD', 'ZRANGE', 'HGET'})
if denied then return denied end
if pause == '0' then
  redis.call('HDEL', KEYS[CONF], 'paused')
elseif pause == '1' or was == 0 then
  redis.call('HSET', KEYS[CONF], 'paused', pause)
end
if pause ~= 'load' then claim_free() end
wake(now)
return was
