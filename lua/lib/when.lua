-- @include lib/constants.lua
-- due_of(when, now, up): the due time in ms; when is MS after now or @MS since 1970. nil if it is
-- out of range (nan, inf and below 0 included). 0 is now; a delay starts at up, so that nothing is
-- early.
local AT = 64 -- @, its first byte
local function due_of(when, now, up)
  if when == '0' then return now end
  local is_time = string.byte(when) == AT
  local ms = tonumber(is_time and string.sub(when, 2) or when)
  if not (ms and ms >= 0) then return nil end
  local due = is_time and ms or up + ms
  return due < SPAN and math.ceil(due) or nil
end
