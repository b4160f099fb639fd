#!lua flags=allow-oom
-- shards: changes the field shards of a shard (lib/shards.lua). The shard has no messages, or is
-- removed with them. Callers change one shard after the other: dq-scripts(7), Shards.
-- KEYS    see lib/keys.lua
-- ARGV    now   ms, '' = the server's clock; without a number of shards
--         from  its value now: '' for one shard; N (2-64); N+ while N shards are created; N- while
--               they are removed. With N+ and N- no other script changes anything; from N+ to N
--               divides the limits of the whole queue
--         to    its new value; '' after N- removes all keys
-- Reply   1, or 0: the field has another value or, unless the shard is being removed, it has
--         messages or, from '', reserved ids; the field now; the generation for unlist; how many
--         messages the shard had before this call
-- Errors  DQTYPE, DQRANGE, DQCLOCK, NOPERM
-- @include lib/keys.lua
-- @include lib/arguments.lua
-- @include lib/rights.lua
-- @include lib/clock.lua
-- @include lib/listed.lua
-- @include lib/limits.lua
local now_arg, from, to = ARGV[1], ARGV[2], ARGV[3]
local MOST = 64

local function is_field(text)
  return text == '' or whole(string.match(text or '', '^(%d+)[-+]?$'), 2, MOST)
end

-- divide(n): the limits of the whole queue become those of its first shard: common/queue/settings.h
-- says what each of n shards gets.
local function divide(n)
  for name in pairs({['max-leased'] = true, rate = true, ['max-len'] = true}) do
    local limit, rest = string.match(redis.call('HGET', KEYS[CONF], name) or '', '^(%d+)(.*)$')
    if limit then redis.call('HSET', KEYS[CONF], name, integer(math.floor(limit / n)) .. rest) end
  end
end

local refused = refusal_whatever_shards(now_arg, 'from', is_field(from), 'to', is_field(to))
if refused then return refused end
local now, _, us = clock(now_arg)
local field = redis.call('HGET', KEYS[STAT], 'shards') or ''
local last, messages = generation() or integer(us - 1), redis.call('HLEN', KEYS[MSG])
if field == to and (from == to or to ~= '') then return {1, field, last, messages} end
local removes = to == '' and string.find(from, '-', 1, true)
local stays = not removes and not string.find(to, '-', 1, true)
if field ~= from or stays and (messages > 0
    or from == '' and redis.call('ZCOUNT', KEYS[SETTLED], '(' .. integer(now), '+inf') > 0) then
  return {0, field, last, messages}
end
local denied = denial(removes and {'UNLINK'} or {'HSET', 'HDEL'})
if denied then return denied end
if removes then
  redis.call('UNLINK', unpack(KEYS))
elseif to == '' then
  redis.call('HDEL', KEYS[STAT], 'shards')
else
  redis.call('HSET', KEYS[STAT], 'shards', to)
  redis.call('HDEL', KEYS[STAT], 'loaded') -- of that dump the other shards have nothing
  if from == to .. '+' then divide(tonumber(to)) end
end
return {1, to, last, messages}
