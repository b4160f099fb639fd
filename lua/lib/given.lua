-- @include lib/types.lua
-- @include lib/clock.lua
-- @include lib/number.lua
-- @include lib/scores.lua
-- given: what a caller may say. All else is DQRANGE, before anything is read or written: an error in the middle of a script has
-- no code, and nan or inf in an index would be there for good.
local ITEMS = 1000

-- items(from, width): are there some from that place in ARGV on, each of so many texts?
local function items(from, width)
  local n = (#ARGV - from + 1) / width
  return n >= 1 and n <= ITEMS and n % 1 == 0
end

-- refusal_to_look(given, name, ok...): the error reply where a key is of a foreign type, given is no time, or one of what is
-- named is not ok; else nil. For what writes nothing: that answers whatever the clock says.
local function refusal_to_look(given, ...)
  local refused = wrong_type()
  if refused then return refused end
  if not (given == '' or whole(given, 0, WHOLE)) then return redis.error_reply('DQRANGE now') end
  for i = 1, select('#', ...), 2 do
    local name, ok = select(i, ...)
    if not ok then return redis.error_reply('DQRANGE ' .. name) end
  end
end

-- refusal(given, name, ok...): the same for what writes. By a clock that no score can hold all would be due, expired and long
-- dead: DQCLOCK, with what it says in ms.
local function refusal(given, ...)
  local refused = refusal_to_look(given, ...)
  if refused then return refused end
  local now, up = clock(given)
  if up >= SPAN then return redis.error_reply('DQCLOCK ' .. integer(now)) end
end
