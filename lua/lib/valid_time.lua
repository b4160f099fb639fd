-- @include lib/constants.lua
-- @include lib/number.lua
-- valid_time(now_arg, most): may it be the argument now? most: of the time (ms); nil: as far as
-- numbers are whole.
local function valid_time(now_arg, most)
  return now_arg == ''
    or now_arg and whole(string.match(now_arg, '^[^/]+') or '0', 0, most or WHOLE)
end
