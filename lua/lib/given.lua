-- @include lib/types.lua
-- @include lib/scores.lua
-- given: what a caller may say. All else is DQRANGE, before anything is read or written: an error in the middle of a script has
-- no code, and nan or inf in an index would be there for good.
local ITEMS, WHOLE = 1000, 9007199254740991

-- whole(text, min, max): the number, or nil. (+ 0: '-0' is none to Redis.)
local function whole(text, min, max)
  local n = tonumber(text)
  return n and n >= min and n <= max and n % 1 == 0 and n + 0 or nil
end

-- items(from, width): are there some from that place in ARGV on, each of so many texts?
local function items(from, width)
  local n = (#ARGV - from + 1) / width
  return n >= 1 and n <= ITEMS and n % 1 == 0
end

-- refusal(given, name, ok...): the error reply where a key is of a foreign type, given is no time, or one of what is named
-- is not ok; else nil.
local function refusal(given, ...)
  local refused = wrong_type()
  if refused then return refused end
  if not (given == '' or whole(given, 0, SPAN - 1)) then return redis.error_reply('DQRANGE now') end
  for i = 1, select('#', ...), 2 do
    local name, ok = select(i, ...)
    if not ok then return redis.error_reply('DQRANGE ' .. name) end
  end
end
