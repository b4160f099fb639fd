-- @include lib/keys.lua
-- @include lib/clock.lua
-- @include lib/number.lua
-- @include lib/begun.lua
-- @include lib/pause.lua
-- limits: how many messages may be leased now. The settings are in conf. stat.limits says that
-- there are any, a letter each: so a queue without limits pays nothing for them. Occupancy is read
-- from the index that has it, never counted a second time.
local EVER = math.huge
local NOT_LIMITED, IS_PAUSED, BY_RATE, BY_LEASED, BY_KEYS = 0, 1, 2, 3, 4 -- enum limit_why
local MOST_LIMIT, MOST_RATE, MOST_SPAN = 1000000000, 1000000000, 2678400000
local MOST_EXACT, BUCKETS = 10000, 1000
local STOP = 'serial,stop' -- of keys: serial, and a dead message stops its key

-- limits(): stat.limits; false: there are none. It is read once.
local word
local function limits()
  if word == nil then word = redis.call('HGET', KEYS[STAT], 'limits') end
  return word
end

-- limited_by(letter): p paused, l max-leased, r rate, m max-len, s keys=serial, d keys=serial,stop
-- (and s): dead ones count, n key-limit, h: a key is paused, k: there are or were messages with
-- keys; or a set of them: [pr].
local function limited_by(letter)
  return limits() and string.find(limits(), letter)
end

-- setting_limit(name, letter, least): max-leased, max-len or key-limit; nil: none. A value that dq
-- does not write counts as none.
local function setting_limit(name, letter, least)
  return limited_by(letter) and whole(redis.call('HGET', KEYS[CONF], name), least, MOST_LIMIT)
end

-- rate_of(text): so many, in so many us; nil: no rate.
local function rate_of(text)
  local count, ms = string.match(text or '', '^(%d+)/(%d+)$')
  count, ms = whole(count, 1, MOST_RATE), whole(ms, 1, MOST_SPAN)
  if count and ms then return count, ms * 1000 end
end

-- setting_rate(): the same of the queue. It is read once: who sets it asks for it only then.
local the_rate, the_span
local function setting_rate()
  if the_rate == nil then
    the_rate, the_span = rate_of(limited_by('r') and redis.call('HGET', KEYS[CONF], 'rate'))
    the_rate = the_rate or false
  end
  return the_rate or nil, the_span
end

-- pause_now(now): the pause, and its end (ms, -1 = none); nil: there is none, or its time has
-- passed.
local function pause_now(now)
  local pause = limited_by('p') and redis.call('HGET', KEYS[CONF], 'paused')
  if pause and not pause_is_over(pause, now) then return pause, pause_end(pause) or -1 end
end

-- limits_of_conf(key_pauses): the word that stat.limits is to be; false: none. k stays: the next
-- message with a key finds it there. So does h, unless it is known whether there are key_pauses.
local function limits_of_conf(key_pauses)
  local letters, is = {paused = 'p', ['max-leased'] = 'l', rate = 'r', ['max-len'] = 'm',
    keys = 's', ['key-limit'] = 'n'}, ''
  for _, name in ipairs({'paused', 'max-leased', 'rate', 'max-len', 'keys', 'key-limit'}) do
    local value = redis.call('HGET', KEYS[CONF], name)
    if value then is = is .. letters[name] .. (name == 'keys' and value == STOP and 'd' or '') end
  end
  if key_pauses or key_pauses == nil and limited_by('h') then is = is .. 'h' end
  if limited_by('k') or redis.call('ZCARD', KEYS[KEYED]) + redis.call('ZCARD', KEYS[TURN]) > 0 then
    is = is .. 'k'
  end
  return is ~= '' and is
end

-- note_limits(now, key_pauses): writes the word. What changes conf calls it; with now if perhaps
-- nobody knows yet of a rate, or of a pause that ends (lib/wake.lua).
local function note_limits(now, key_pauses)
  word = limits_of_conf(key_pauses)
  if word and now and limited_by('[prh]') then
    redis.call('HSET', KEYS[STAT], 'limits', word, 'limits_at', integer(now))
  elseif word then
    redis.call('HSET', KEYS[STAT], 'limits', word)
  else
    redis.call('HDEL', KEYS[STAT], 'limits')
  end
end

-- end_pause(now): removes a pause whose time has passed.
local function end_pause(now)
  if not limited_by('p') or pause_now(now) then return end
  redis.call('HDEL', KEYS[CONF], 'paused')
  note_limits()
end

-- begun_at(us): the time that a delivery of now has in the index. Of a rate of many it is the end
-- of a thousandth of the span, so the index stays small: none is forgotten too early.
local function begun_at(us)
  local count, span = setting_rate()
  if not count or count <= MOST_EXACT then return us end
  local length = math.ceil(span / BUCKETS)
  return math.ceil(us / length) * length
end

-- rate_now(us): how many more may begin now, by the rate; and, if it is none, when the next one may
-- (us).
local function rate_now(us)
  local count, span = setting_rate()
  if not count then return EVER end
  local n, _, first = begun_after(us - span)
  n = n or 0
  if n < count then return count - n end
  -- After the clock was set back: at once, because a take corrects the index.
  return 0, first > begun_at(us) and us or first + span
end

-- allowance(now): how many may be leased now, EVER without limits; if none, why, and until when
-- (ms, -1 = not known).
local function allowance(now)
  if not limits() then return EVER, NOT_LIMITED, -1 end
  local pause, till = pause_now(now)
  if pause then return 0, IS_PAUSED, till end
  local most, _, _, us = setting_limit('max-leased', 'l', 1), clock(ARGV[1])
  local free = most and most - redis.call('ZCARD', KEYS[LEASED]) or EVER
  if free <= 0 then return 0, BY_LEASED, -1 end
  local may_begin, at = rate_now(us)
  if may_begin == 0 then return 0, BY_RATE, math.ceil(at / 1000) end
  return math.min(free, may_begin), NOT_LIMITED, -1
end
