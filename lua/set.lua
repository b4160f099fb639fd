#!lua flags=allow-oom
-- set: changes settings of a queue, all of them or none. A queue that has settings exists, even
-- before its first put.
-- KEYS    see lib/keys.lua
-- ARGV    now  ms, '' = the server's clock
--         then name and value of each setting; none: the name of a queue that has settings is to be
--         listed
--         paused      1: puts are accepted and due messages move; take returns no messages. MS
--                     since 1970: likewise, until then, unless it is paused for longer already.
--                     load: likewise, until a load ends (see load), if it is not paused yet. 0:
--                     resumed. After 1 and 0 another dump may be loaded, even if one was not loaded
--                     to its end
--         paused:KEY  1, MS or 0: likewise, of the messages of that key only
--         max-leased  N: at most so many are leased at any time; '': any number
--         rate        N/MS: at most so many deliveries begin within any MS; '': any number
--         max-len     N: a put that would make more messages is refused; '': any number
--         keys        serial: of each key only the first message is delivered, the next one after
--                     it has ended; serial,stop: likewise, and no other one of the key while one of
--                     it is dead; '' or fair: keys take turns
--         key-limit   N: at most so many messages of a key are leased at any time; '': any number
--         ?NAME       likewise, if the queue does not have that setting; the pause of a load, or
--                     one whose time has passed, is none
-- Reply   1 if the queue existed before, else 0; the generation of its name if it may not be listed
--         (see put), else ''; then for each setting its value before: paused and paused:KEY: 0; 1:
--         also that of a load; or its end, ms. Others: as text, '' = none
-- Errors  DQTYPE, DQRANGE, DQCLOCK, DQKEYS (more than 1,000 keys would be paused), NOPERM
-- @include lib/keys.lua
-- @include lib/arguments.lua
-- @include lib/rights.lua
-- @include lib/clock.lua
-- @include lib/set_pause.lua
-- @include lib/listed.lua
-- @include lib/wake.lua
local now_arg = ARGV[1]

local function is_whole(text, least)
  return text == '' or string.find(text, '^%d+$') and whole(text, least, MOST_LIMIT)
end

local FITS = {
  paused = function(text) return text == 'load' or is_pause(text) end,
  ['max-leased'] = function(text) return is_whole(text, 1) end,
  ['max-len'] = function(text) return is_whole(text, 0) end,
  rate = function(text) return text == '' or rate_of(text) end,
  keys = function(text) return text == '' or text == 'fair' or text == 'serial' or text == STOP end,
  ['key-limit'] = function(text) return is_whole(text, 1) end,
}

-- unfit(settings): the first that there is not, or whose value does not fit, as ARGV has it; nil if
-- there is none.
local function unfit(settings)
  for _, s in ipairs(settings) do
    local fits = FITS[s.name] or s.key and is_pause
    if not (fits and s.value and fits(s.value)) then return s.text end
  end
end

-- set_one(s, now): its value before.
local function set_one(s, now)
  if s.name == 'paused' then return set_pause(s, now) end
  if s.key then return set_key_pause(s, now) end
  local name, value = s.name, s.value
  local was = redis.call('HGET', KEYS[CONF], name) or ''
  if s.lacks and was ~= '' then return was end
  if (name == 'keys' or name == 'key-limit') and limited_by('k')
      and was ~= (value == 'fair' and '' or value) then
    redis.call('HSET', KEYS[STAT], 'key_walk', '') -- the keys are placed anew (lib/mend_keys.lua)
    if value == STOP then redis.call('HSET', KEYS[STAT], 'dead_walk', '') end
  end
  if value == '' or value == 'fair' then
    redis.call('HDEL', KEYS[CONF], name)
  else
    redis.call('HSET', KEYS[CONF], name, value)
  end
  return was
end

local settings = read_settings()
local odd = unfit(settings)
local refused = refusal(now_arg, odd or '', not odd)
if refused then return refused end
local now, _, us = clock(now_arg)
local keys_change = any_key(settings)
local denied = denial({'HEXISTS', 'HSET', 'HDEL', 'HLEN', 'ZADD', 'ZCARD', 'ZRANGE', 'HGET'})
  or (keys_change or limited_by('h')) and denial({'HGETALL', 'ZREM', 'ZSCORE', 'ZLEXCOUNT'})
if denied then return denied end
if keys_change and too_many_keys(settings, now) then
  return redis.error_reply('DQKEYS ' .. KEY_PAUSES)
end
local reply = {(key_exists('stat') or key_exists('msg')) and 1 or 0, ''}
end_pause(now)
end_key_pauses(now)
for _, s in ipairs(settings) do reply[#reply + 1] = set_one(s, now) end
note_limits(now)
if keys_change then pauses_changed(now) end
local has_settings = redis.call('HLEN', KEYS[CONF]) > 0
  or redis.call('HEXISTS', KEYS[STAT], 'shards') == 1
if has_settings and not listed_at(now) then
  reply[2] = generation() or integer(us)
  redis.call('HSET', KEYS[STAT], 'generation', reply[2])
end
wake(now)
return reply
