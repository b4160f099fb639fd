-- @include lib/keys.lua
-- @include lib/claim.lua
-- @include lib/limits.lua
-- @include lib/key_pause.lua
-- set_pause: how a queue, or a key, is paused and resumed.

-- is_pause(text): is it a pause, or its end?
local function is_pause(text)
  return text == '0' or text == '1' or string.find(text, '^%d+$') and pause_end(text)
end

-- asked(text): the name of a setting, and whether it is set only if the queue lacks it.
local function asked(text)
  local lacks, name = string.match(text, '^(%??)(.*)$')
  return name, lacks ~= ''
end

-- is_over(pause): has its time passed?
local function is_over(pause)
  local till = pause_end(pause)
  return till ~= nil and till <= clock(ARGV[1])
end

-- longer(was, pause): the pause that a pause of such a kind leaves: one with an end does not end another one earlier, and not that of a
-- load.
local function longer(was, pause)
  local till = pause_end(pause)
  if not was or not till and pause ~= 'load' then return pause end
  local load, old = pause_of_load(was)
  old = pause_end(load and old or was)
  if not till or not load and not old or old and old >= till then return was end
  return load and load .. ' ' .. pause or pause
end

-- set_pause(pause, lacks): how the queue was paused. lacks: only if it was not, but for a load.
local function set_pause(pause, lacks)
  local was = redis.call('HGET', KEYS[CONF], 'paused')
  local load, old = pause_of_load(was)
  if lacks and (is_over(pause) or was and (not load or old ~= '' and not is_over(old))) then return pause_end(was) or was and 1 or 0 end
  if pause == '0' then
    redis.call('HDEL', KEYS[CONF], 'paused')
  else
    redis.call('HSET', KEYS[CONF], 'paused', longer(was, pause))
  end
  if pause == '0' or pause == '1' then claim_free() end
  return pause_end(was) or was and 1 or 0
end

-- too_many_keys(now): would more keys be paused than may be?
local function too_many_keys(now)
  local _, ends, n = key_pauses(now)
  local were = n
  for i = 2, #ARGV, 2 do
    local key, pauses = paused_key((asked(ARGV[i]))), ARGV[i + 1] ~= '0'
    local changes = key and pauses ~= (ends[key] ~= nil) and not is_over(ARGV[i + 1])
    if changes then ends[key], n = pauses or nil, n + (pauses and 1 or -1) end
  end
  return n > math.max(KEY_PAUSES, were)
end

local changed = {} -- keys that are paused, or not any more

-- set_key_pause(key, pause, lacks): how the key was paused. lacks: only if it was not.
local function set_key_pause(key, pause, lacks)
  local name = 'paused:' .. key
  local was = redis.call('HGET', KEYS[CONF], name)
  if lacks and (was or is_over(pause)) then return pause_end(was) or was and 1 or 0 end
  if pause == '0' then redis.call('HDEL', KEYS[CONF], name) else redis.call('HSET', KEYS[CONF], name, longer(was, pause)) end
  if (pause == '0') ~= not was then changed[#changed + 1] = key end
  return pause_end(was) or was and 1 or 0
end

-- any_key(): is the pause of any key to be changed?
local function any_key()
  for i = 2, #ARGV, 2 do
    if paused_key((asked(ARGV[i]))) then return true end
  end
  return false
end

-- pauses_changed(now): what follows from the pauses of keys, after conf was changed.
local function pauses_changed(now)
  note_key_pauses(now)
  for i = 1, with_keys and #changed or 0 do with_keys.place(changed[i]) end
end
