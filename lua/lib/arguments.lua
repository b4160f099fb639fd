-- @include lib/types.lua
-- @include lib/clock.lua
-- @include lib/shards.lua
-- @include lib/digits.lua
-- @include lib/number.lua
-- @include lib/scores.lua
-- arguments: checks the arguments of a script. A wrong argument is DQRANGE, before the script reads or writes: an error in
-- the middle of a script has no code, and nan or inf would stay in an index for ever.

-- items(from, width): true if ARGV from that place on has 1 to ITEMS items of `width` texts each.
local function items(from, width)
  local n = (#ARGV - from + 1) / width
  return n >= 1 and n <= ITEMS and n % 1 == 0
end

-- refusal_of(given, whatever, name, ok, name, ok...): the error reply if a key has a foreign type, `given` is not a valid time,
-- one of the named arguments is not ok, or the queue has another number of shards (not checked with `whatever`); else nil.
local function refusal_of(given, whatever, ...)
  local refused = wrong_type()
  if refused then return refused end
  if not (given == '' or given and whole(string.match(given, '^[^/]+') or '0', 0, WHOLE)) then
    return redis.error_reply('DQRANGE now')
  end
  for i = 1, select('#', ...), 2 do
    local name, ok = select(i, ...)
    if not ok then return redis.error_reply('DQRANGE ' .. name) end
  end
  local shards = key_exists('stat') and not whatever and redis.call('HGET', key.stat, 'shards')
  if shards ~= shards_told(given) then return redis.error_reply('DQSHARDS ' .. (shards or '1')) end
end

-- refusal_to_look(given, name, ok...): for scripts that write nothing: they answer at any time of the clock.
local function refusal_to_look(given, ...)
  return refusal_of(given, false, ...)
end

-- clock_refusal(given): DQCLOCK with the time in ms, if the clock is beyond the greatest score: every message would be due and
-- expired.
local function clock_refusal(given)
  local now, up = clock(given)
  if up >= SPAN then return redis.error_reply('DQCLOCK ' .. integer(now)) end
end

-- refusal(given, name, ok...): for scripts that write. refusal_whatever_shards: for scripts that do not belong to one shard.
local function refusal(given, ...)
  return refusal_of(given, false, ...) or clock_refusal(given)
end

local function refusal_whatever_shards(given, ...)
  return refusal_of(given, true, ...) or clock_refusal(given)
end
