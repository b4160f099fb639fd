-- is_cursor(text): SCAN takes digits below 2^64.
local function is_cursor(text)
  return text and string.find(text, '^%d+$')
    and (#text < 20 or (#text == 20 and text <= '18446744073709551615'))
end
