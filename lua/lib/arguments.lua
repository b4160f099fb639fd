-- @include lib/types.lua
-- @include lib/usual.lua
-- @include lib/valid_time.lua
-- @include lib/shards.lua
-- @include lib/clock.lua
-- @include lib/digits.lua
-- @include lib/items.lua
-- @include lib/begin_keys.lua
-- arguments: checks the arguments of a script. A wrong argument is DQRANGE, before the script reads
-- or writes: an error in
-- the middle of a script has no code, and nan or inf would stay in an index for ever.

-- refusal_of(now_arg, whatever, name, ok, name, ok...): the error reply if a key has a foreign
-- type, now_arg is not a valid time, one of the named arguments is not ok, or the queue has another
-- number of shards (not checked with `whatever`); else nil.
local function refusal_of(now_arg, whatever, ...)
  local refused = wrong_type()
  if refused then return refused end
  if not valid_time(now_arg) then return redis.error_reply('DQRANGE now') end
  for i = 1, select('#', ...), 2 do
    local name, ok = select(i, ...)
    if not ok then return redis.error_reply('DQRANGE ' .. name) end
  end
  local shards = key_exists('stat') and not whatever and redis.call('HGET', KEYS[STAT], 'shards')
  if shards ~= known_shards(now_arg) then
    return redis.error_reply('DQSHARDS ' .. (shards or '1'))
  end
  peek = redis.call
end

-- refusal_any_time(now_arg, name, ok...): for scripts that set no time: they answer at any time of
-- the clock.
local function refusal_any_time(now_arg, ...)
  return refusal_of(now_arg, false, ...)
end

-- clock_refusal(now_arg): DQCLOCK with the time in ms, if the clock is beyond the greatest score:
-- every message would be due and expired.
local function clock_refusal(now_arg)
  local now, up = clock(now_arg)
  if up >= SPAN then return redis.error_reply('DQCLOCK ' .. integer(now)) end
end

-- refusal(now_arg, name, ok...): for scripts that write. refusal_whatever_shards: for scripts that
-- do not belong to one shard.
local function refusal(now_arg, ...)
  local refused = refusal_of(now_arg, false, ...) or clock_refusal(now_arg)
  if not refused then begin_keys() end
  return refused
end

local function refusal_whatever_shards(now_arg, ...)
  return refusal_of(now_arg, true, ...) or clock_refusal(now_arg)
end
