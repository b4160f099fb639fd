#!lua flags=allow-oom
-- listed: notes that the queue's name is in the list of queues, so that puts no longer reply a
-- generation (lib/listed.lua).
-- KEYS    see lib/keys.lua
-- ARGV    now         ms, '' = the server's clock
--         generation  with which the name was added, as put replied
-- Reply   1, or 0 if the queue was forgotten since: its name may have been removed
-- Errors  DQTYPE, DQRANGE, DQCLOCK, NOPERM
-- @include lib/keys.lua
-- @include lib/arguments.lua
-- @include lib/rights.lua
-- @include lib/clock.lua
-- @include lib/listed.lua
local now_arg, added = ARGV[1], whole(ARGV[2], 1, WHOLE)

local refused = refusal(now_arg, 'generation', added)
if refused then return refused end
if generation() ~= integer(added) then return 0 end
local denied = denial({'HSET'})
if denied then return denied end
redis.call('HSET', KEYS[STAT], 'listed', integer(clock(now_arg)))
return 1
