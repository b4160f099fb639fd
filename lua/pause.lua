#!lua flags=allow-oom
-- pause: a paused queue takes puts and moves what is due, and gives nothing to takers.
-- KEYS    see lib/keys.lua
-- ARGV    '1' pause, '0' resume
-- Reply   1 if it was paused before, else 0
-- Errors  DQTYPE
-- @include lib/keys.lua
-- @include lib/types.lua
local pause = ARGV[1]

local refused = wrong_type()
if refused then return refused end
local was = redis.call('HEXISTS', key.conf, 'paused')
if pause == '1' then
  redis.call('HSET', key.conf, 'paused', '1')
else
  redis.call('HDEL', key.conf, 'paused')
end
return was
