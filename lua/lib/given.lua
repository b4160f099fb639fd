-- @include lib/types.lua
-- @include lib/clock.lua
-- @include lib/number.lua
-- @include lib/scores.lua
-- given: checks of the arguments. A wrong one is DQRANGE before anything is read or written: an error in the middle of a script
-- has no code, and nan or inf would stay in an index for ever.
local ITEMS = 1000

-- items(from, width): does ARGV from that place on have 1 to ITEMS items of so many texts each?
local function items(from, width)
  local n = (#ARGV - from + 1) / width
  return n >= 1 and n <= ITEMS and n % 1 == 0
end

-- refusal_to_look(given, name, ok, name, ok...): the error reply if a key has a foreign type, given is no time, or one of the
-- named arguments is not ok; else nil. For scripts that write nothing: they answer at any time of the clock.
local function refusal_to_look(given, ...)
  local refused = wrong_type()
  if refused then return refused end
  if not (given == '' or whole(given, 0, WHOLE)) then return redis.error_reply('DQRANGE now') end
  for i = 1, select('#', ...), 2 do
    local name, ok = select(i, ...)
    if not ok then return redis.error_reply('DQRANGE ' .. name) end
  end
end

-- refusal(given, name, ok...): the same for scripts that write. A clock beyond the greatest score would make every message due
-- and expired: DQCLOCK, with its time in ms.
local function refusal(given, ...)
  local refused = refusal_to_look(given, ...)
  if refused then return refused end
  local now, up = clock(given)
  if up >= SPAN then return redis.error_reply('DQCLOCK ' .. integer(now)) end
end
