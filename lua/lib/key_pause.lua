-- @include lib/usual.lua
-- @include lib/limits.lua
-- key_pause: pauses of single keys. conf has a field paused:KEY for each: '1', or its end (ms).
-- stat.limits has the letter h while there is any, and stat.key_pause the first of their ends:
-- somebody wakes then (lib/wake.lua), and takes and promotes end those that are over. A pause whose
-- time has passed holds nothing back, even if it is still there.
local KEY_PAUSES = 1000 -- at most so many keys are paused at a time
local PAIRS = 250 -- a call that ends pauses of keys places about so many; one take removes so many

-- paused_key(name): the key of such a setting; nil: name is another one.
local function paused_key(name)
  local key = string.match(name, '^paused:([%w._:][%w._:-]*)$')
  return key and #key <= 126 and key or nil
end

local function key_is_paused(key)
  local pause = limited_by('h') and redis.call('HGET', KEYS[CONF], 'paused:' .. key)
  return pause and not pause_is_over(pause, clock(ARGV[1]))
end

-- had_pause(key): of a key that is not paused now: its pause is over, and still there.
local function had_pause(key)
  return limited_by('h') and redis.call('HEXISTS', KEYS[CONF], 'paused:' .. key) == 1
end

-- key_pause_end(): the first of the ends (ms), EVER: none.
local function key_pause_end()
  return limited_by('h') and whole(redis.call('HGET', KEYS[STAT], 'key_pause'), 0, SPAN) or EVER
end

-- keys_allow(now): may a key be served, of a queue that has messages with keys, or may one be found
-- that is not in turn yet?
local function keys_allow(now)
  return not limited_by('k') or redis.call('ZCARD', KEYS[TURN]) > 0
    or redis.call('HEXISTS', KEYS[STAT], 'key_walk') == 1 or key_pause_end() <= now
    or limited_by('d') and redis.call('HEXISTS', KEYS[STAT], 'dead_walk') == 1
end

-- keys_till(): if they do not: until when (ms, -1 = not known).
local function keys_till()
  local till = key_pause_end()
  return till < EVER and till or -1
end

-- key_pauses(now): as conf has them: the keys whose pause is over; the others with their ends, EVER
-- = none; how many these are, and the first of these ends.
local function key_pauses(now)
  local over, ends, n, first, fields = {}, {}, 0, EVER, redis.call('HGETALL', KEYS[CONF])
  for i = 1, #fields, 2 do
    local key = paused_key(fields[i])
    if key and pause_is_over(fields[i + 1], now) then
      over[#over + 1] = key
    elseif key then
      local till = pause_end(fields[i + 1]) or EVER
      ends[key], n, first = till, n + 1, math.min(first, till)
    end
  end
  return over, ends, n, first
end

-- note_key_pauses(now): what stat has of them, after conf was changed.
local function note_key_pauses(now)
  local _, _, n, first = key_pauses(0)
  if first < EVER then
    redis.call('HSET', KEYS[STAT], 'key_pause', integer(first))
  else
    redis.call('HDEL', KEYS[STAT], 'key_pause')
  end
  note_limits(now, n > 0)
end

-- end_key_pauses(now): removes those whose time has passed: so many that PAIRS pairs get their
-- turns; at most KEY_PAUSES are left, and end with the next calls. Their keys get their turns
-- first: a script that is cut there does it again.
local function end_key_pauses(now)
  if key_pause_end() > now then return end
  local over, left = key_pauses(now), PAIRS
  for i = 1, #over do
    if left <= 0 and #over - i < KEY_PAUSES then break end
    left = left - (with_keys and with_keys.place(over[i]) or 0)
    redis.call('HDEL', KEYS[CONF], 'paused:' .. over[i])
  end
  note_key_pauses()
end
