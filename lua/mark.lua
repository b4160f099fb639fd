#!lua flags=allow-oom
-- mark: a waiter puts a mark back that it took and does not act on (lib/wake.lua); never over an earlier one.
-- KEYS    see lib/keys.lua
-- ARGV    now   not used
--         part  wake or timer
--         at    its score, ms
-- Reply   1 if the mark was not there, else 0
-- Errors  DQTYPE, DQRANGE
-- @include lib/keys.lua
-- @include lib/types.lua
local part, at = ARGV[2], tonumber(ARGV[3])
local marks = {wake = 'r', timer = 't'}

local refused = wrong_type()
if refused then return refused end
if not marks[part] or not at or at ~= at then return redis.error_reply('DQRANGE no such mark') end
return redis.call('ZADD', key[part], 'LT', at, marks[part])
