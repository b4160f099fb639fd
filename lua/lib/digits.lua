-- @include lib/constants.lua
-- digits: writes whole numbers.

-- integer(n): its digits. tostring() would round a token and write 1e+15. %d is many times faster
-- than %.0f, and right where a long has 64 bits. Scores are given to Redis as such text, too: it
-- writes a number by %.17g, which is slow.
local digits
local function integer(n)
  digits = digits or (string.format('%d', SPAN) == tostring(SPAN) and '%d' or '%.0f')
  return string.format(digits, n)
end
