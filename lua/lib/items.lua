-- @include lib/constants.lua
-- items(from, width): true if ARGV from that place on has 1 to ITEMS items of `width` texts each.
local function items(from, width)
  local n = (#ARGV - from + 1) / width
  return n >= 1 and n <= ITEMS and n % 1 == 0
end
