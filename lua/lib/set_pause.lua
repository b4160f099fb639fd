-- @include lib/keys.lua
-- @include lib/claim.lua
-- @include lib/limits.lua
-- @include lib/key_pause.lua
-- set_pause: how a queue, or a key, is paused and resumed.

-- is_pause(text): is it a pause, or its end?
local function is_pause(text)
  return text == '0' or text == '1' or string.find(text, '^%d+$') and pause_end(text)
end

-- read_settings(): what ARGV has from its second on, in order: text, name and value; key, of the
-- pause of one; lacks: it is set only if the queue lacks it.
local function read_settings()
  local settings = {}
  for i = 2, #ARGV, 2 do
    local lacks, name = string.match(ARGV[i], '^(%??)(.*)$')
    settings[#settings + 1] = {text = ARGV[i], name = name, value = ARGV[i + 1],
      key = paused_key(name), lacks = lacks ~= ''}
  end
  return settings
end

-- longer(was, pause): the pause that a pause of such a kind leaves: one with an end does not end
-- another one earlier, and not that of a load.
local function longer(was, pause)
  local till = pause_end(pause)
  if not was or not till and pause ~= 'load' then return pause end
  local load, old = pause_of_load(was)
  old = pause_end(load and old or was)
  if not till or not load and not old or old and old >= till then return was end
  return load and load .. ' ' .. pause or pause
end

-- how_it_was(pause): the reply of set: 0 not paused, 1 paused, or the end of the pause.
local function how_it_was(pause)
  return pause_end(pause) or pause and 1 or 0
end

-- set_pause(s, now): of the queue; the reply. The pause of a load is none that the queue has, nor
-- is one that is over.
local function set_pause(s, now)
  local was = redis.call('HGET', KEYS[CONF], 'paused')
  local load, old = pause_of_load(was)
  local has = was and (not load or old ~= '' and not pause_is_over(old, now))
  if s.lacks and (has or pause_is_over(s.value, now)) then return how_it_was(was) end
  if s.value == '0' then
    redis.call('HDEL', KEYS[CONF], 'paused')
  else
    redis.call('HSET', KEYS[CONF], 'paused', longer(was, s.value))
  end
  if s.value == '0' or s.value == '1' then claim_free() end
  return how_it_was(was)
end

-- any_key(settings): is the pause of any key to be changed?
local function any_key(settings)
  for _, s in ipairs(settings) do
    if s.key then return true end
  end
  return false
end

-- too_many_keys(settings, now): would more keys be paused than may be?
local function too_many_keys(settings, now)
  local _, ends, n = key_pauses(now)
  local were = n
  for _, s in ipairs(settings) do
    local pauses = s.value ~= '0'
    local changes = s.key and pauses ~= (ends[s.key] ~= nil) and not pause_is_over(s.value, now)
    if changes then ends[s.key], n = pauses or nil, n + (pauses and 1 or -1) end
  end
  return n > math.max(KEY_PAUSES, were)
end

local changed = {} -- keys that are paused, or not any more

-- set_key_pause(s, now): the reply. One that is over is none.
local function set_key_pause(s, now)
  local was = redis.call('HGET', KEYS[CONF], s.name)
  local holds = was and not pause_is_over(was, now) and was
  if s.lacks and (holds or pause_is_over(s.value, now)) then return how_it_was(holds) end
  if s.value == '0' then
    redis.call('HDEL', KEYS[CONF], s.name)
  else
    redis.call('HSET', KEYS[CONF], s.name, longer(was, s.value))
  end
  local resumed, paused = s.value == '0' and was, s.value ~= '0' and not holds
  if resumed or paused then changed[#changed + 1] = s.key end
  return how_it_was(holds)
end

-- pauses_changed(now): what follows from the pauses of keys, after conf was changed. Some keys are
-- placed at once. Of the others those that are resumed get a pause that is over, even if the clock
-- is set back, and the next calls end it (lib/key_pause.lua); those that are paused are in turn
-- until a take looks at them.
local function pauses_changed(now)
  note_key_pauses(now)
  if not with_keys then return end
  local left, later = PAIRS, false
  for _, key in ipairs(changed) do
    if left > 0 then
      left = left - with_keys.place(key)
    elseif redis.call('HEXISTS', KEYS[CONF], 'paused:' .. key) == 0 then
      redis.call('HSET', KEYS[CONF], 'paused:' .. key, LONG_OVER)
      later = true
    end
  end
  if later then note_key_pauses(now) end
end
