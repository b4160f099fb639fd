#!lua flags=allow-oom
-- shards: changes what a shard says of the number of shards (lib/shards.lua). It has no messages, or is to be removed with them.
-- Callers change one shard after the other: dq-scripts(7), Shards.
-- KEYS    see lib/keys.lua
-- ARGV    now   ms, '' = the server's clock; without a number of shards
--         from  what it says now: '' one; N, 2-64; N and a plus: N, and not all of them are made yet; N and a dash: N, and they
--               are being removed: with either, no other script changes anything
--         to    what it is to say; '' after a dash removes all keys
-- Reply   1, or 0 if it says something else or, unless it is being removed, has messages or, where it says '', reserved ids;
--         what it says now; the generation for unlist; how many messages it had before this call
-- Errors  DQTYPE, DQRANGE, DQCLOCK, NOPERM
-- @include lib/keys.lua
-- @include lib/arguments.lua
-- @include lib/rights.lua
-- @include lib/clock.lua
-- @include lib/listed.lua
local given, from, to = ARGV[1], ARGV[2], ARGV[3]
local MOST = 64

local function is_said(text)
  return text == '' or whole(string.match(text or '', '^(%d+)[-+]?$'), 2, MOST)
end

local refused = refusal_whatever_shards(given, 'from', is_said(from), 'to', is_said(to))
if refused then return refused end
local now, _, us = clock(given)
local says = redis.call('HGET', key.stat, 'shards') or ''
local last, messages = generation() or integer(us - 1), redis.call('HLEN', key.msg)
if says == to and (from == to or to ~= '') then return {1, says, last, messages} end
local removes = to == '' and string.find(from, '-', 1, true)
local stays = not removes and not string.find(to, '-', 1, true)
if says ~= from or stays and (messages > 0
  or from == '' and redis.call('ZCOUNT', key.settled, '(' .. integer(now), '+inf') > 0) then return {0, says, last, messages} end
local denied = denial(removes and {'UNLINK'} or {'HSET', 'HDEL'})
if denied then return denied end
if removes then
  redis.call('UNLINK', unpack(KEYS))
elseif to == '' then
  redis.call('HDEL', key.stat, 'shards')
else
  redis.call('HSET', key.stat, 'shards', to)
end
return {1, to, last, messages}
