#!lua flags=allow-oom
-- mark: a waiter puts a mark back that it took and does not act on (lib/wake.lua). A time goes back only while it is the one
-- that counts (stat.armed): any other has been replaced by a later mark.
-- KEYS    see lib/keys.lua
-- ARGV    now   ms, '' = the server's clock; not used
--         part  wake or timer
--         at    its score, ms; for timer also '?': the mark may have been lost, whatever its time was
-- Reply   1 if the mark was not there and now is, else 0
-- Errors  DQTYPE, DQRANGE
-- @include lib/keys.lua
-- @include lib/given.lua
local part, lost = ARGV[2], ARGV[2] == 'timer' and ARGV[3] == '?'
local at = whole(ARGV[3], 0, WHOLE)
local MARKS = {wake = 'r', timer = 't'}

local refused = refusal_to_look(ARGV[1], 'part', MARKS[part], 'at', at or lost)
if refused then return refused end
local armed = part == 'timer' and redis.call('HGET', key.stat, 'armed')
if lost then at = tonumber(armed or nil) end
if part == 'timer' and not (at and tonumber(armed or nil) == at) then return 0 end
return redis.call('ZADD', key[part], 'LT', at, MARKS[part])
