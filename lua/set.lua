#!lua flags=allow-oom
-- set: changes settings of a queue, all of them or none. A queue that has settings exists, even before its first put.
-- KEYS    see lib/keys.lua
-- ARGV    now  ms, '' = the server's clock
--         then name and value of each setting; none: the name of a queue that has settings is to be listed
--         paused  1: puts are accepted and due messages move; take returns no messages. load: likewise, until a load ends (see
--                 load), if it is not paused yet. 0: resumed. After 1 and 0 another dump may be loaded, even if one was not
--                 loaded to its end
-- Reply   1 if the queue existed before, else 0; the generation of its name if it may not be listed (see put), else ''; then
--         for each setting its value before: paused: 1 or 0
-- Errors  DQTYPE, DQRANGE, DQCLOCK, NOPERM
-- @include lib/keys.lua
-- @include lib/arguments.lua
-- @include lib/rights.lua
-- @include lib/clock.lua
-- @include lib/claim.lua
-- @include lib/listed.lua
-- @include lib/wake.lua
local now_arg = ARGV[1]
local FITS = {paused = {['0'] = true, ['1'] = true, load = true}}

-- unfit(): the name of the first setting that there is not, or whose value does not fit; nil if there is none.
local function unfit()
  for i = 2, #ARGV, 2 do
    local fits = FITS[ARGV[i]]
    if not (fits and fits[ARGV[i + 1]]) then return ARGV[i] end
  end
end

local SET = {}

function SET.paused(pause)
  local was = redis.call('HEXISTS', KEYS[CONF], 'paused')
  if pause == '0' then
    redis.call('HDEL', KEYS[CONF], 'paused')
  elseif pause == '1' or was == 0 then
    redis.call('HSET', KEYS[CONF], 'paused', pause)
  end
  if pause ~= 'load' then claim_free() end
  return was
end

local odd = unfit()
local refused = refusal(now_arg, odd or '', not odd)
if refused then return refused end
local now, _, us = clock(now_arg)
local denied = denial({'HEXISTS', 'HSET', 'HDEL', 'HLEN', 'ZADD', 'ZCARD', 'ZRANGE', 'HGET'})
if denied then return denied end
local reply = {(key_exists('stat') or key_exists('msg')) and 1 or 0, ''}
for i = 2, #ARGV, 2 do reply[#reply + 1] = SET[ARGV[i]](ARGV[i + 1]) end
local has_settings = redis.call('HLEN', KEYS[CONF]) > 0 or redis.call('HEXISTS', KEYS[STAT], 'shards') == 1
if has_settings and not listed_at(now) then
  reply[2] = generation() or integer(us)
  redis.call('HSET', KEYS[STAT], 'generation', reply[2])
end
wake(now)
return reply
