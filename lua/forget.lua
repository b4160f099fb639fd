#!lua flags=allow-oom
-- forget: a queue without a message -> nothing: its keys go, and its name from the list of queues. What goes with them: counters,
-- the pause, the ids that are kept unique, marks, and the last token. No token comes twice for that: the next one is the time in
-- us, and that has passed the last one unless the clock went back.
-- In one step, so that the keys of a queue that is being put into stay, and its name with them. A put is two steps: the name, the
-- message. Who forgets a queue between them finds it empty; so dq-put lists it once more after the message.
-- KEYS    see lib/keys.lua; then PREFIX:queues, which may be left out: then the list is left alone
-- ARGV    now   ms, '' = the server's clock
--         name  of the queue
-- Reply   1 if it is forgotten, 0 if there are messages
-- Errors  DQTYPE, DQRANGE, DQCLOCK, NOPERM
-- @include lib/keys.lua
-- @include lib/given.lua
-- @include lib/rights.lua
local name, list = ARGV[2], KEYS[13]

local refused = refusal(ARGV[1], 'name', name and name ~= '')
if refused then return refused end
local is = list and redis.call('TYPE', list).ok
if list and is ~= 'none' and is ~= 'set' then return redis.error_reply('DQTYPE ' .. list .. ' is a ' .. is .. ', not a set') end
if redis.call('HLEN', key.msg) > 0 then return 0 end
local denied = denial(list and {'UNLINK', 'SREM'} or {'UNLINK'})
if denied then return denied end
for _, part in pairs(key) do redis.call('UNLINK', part) end
if list then redis.call('SREM', list, name) end
return 1
