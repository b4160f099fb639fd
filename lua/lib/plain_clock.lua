-- @include lib/clock.lua
-- @include lib/plain.lua
-- plain_clock(given): as clock(), or nil if that would be refused.
local function plain_clock(given)
  if given == '' or given and whole(string.match(given, '^[^/]+') or '0', 0, WHOLE) then return clock(given) end
end
