-- number: whole numbers.
local WHOLE = 9007199254740991 -- up to this one a double has them all

-- whole(text, min, max): the number, or nil. (+ 0: '-0' is none to Redis.)
local function whole(text, min, max)
  local n = tonumber(text)
  return n and n >= min and n <= max and n % 1 == 0 and n + 0 or nil
end
