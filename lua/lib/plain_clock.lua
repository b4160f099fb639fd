-- @include lib/clock.lua
-- @include lib/plain.lua
-- plain_clock(now_arg): as clock(), or nil if that would be refused.
local function plain_clock(now_arg)
  if now_arg == '' or now_arg and whole(string.match(now_arg, '^[^/]+') or '0', 0, WHOLE) then return clock(now_arg) end
end
