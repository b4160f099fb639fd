#!lua flags=allow-oom
-- mark: a waiter puts a mark back that it took and does not act on (lib/wake.lua); never over an earlier one.
-- KEYS    see lib/keys.lua
-- ARGV    now   ms, '' = the server's clock; not used
--         part  wake or timer
--         at    its score, ms
-- Reply   1 if the mark was not there, else 0
-- Errors  DQTYPE, DQRANGE
-- @include lib/keys.lua
-- @include lib/given.lua
local part, at = ARGV[2], whole(ARGV[3], 0, WHOLE)
local MARKS = {wake = 'r', timer = 't'}

local refused = refusal_to_look(ARGV[1], 'part', MARKS[part], 'at', at)
if refused then return refused end
return redis.call('ZADD', key[part], 'LT', at, MARKS[part])
