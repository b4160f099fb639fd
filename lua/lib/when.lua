-- @include lib/scores.lua
-- due_of(when, now, up): the due time in ms; when is MS after now or @MS since 1970. nil if it is out of range (nan, inf and
-- below 0 included). 0 is now; a delay starts at up, so that nothing is early.
local function due_of(when, now, up)
  if when == '0' then return now end
  local delay = tonumber(when)
  if delay and (delay ~= delay or delay < 0) then return nil end
  local due = delay and up + delay or string.find(when, '^@') and tonumber(string.sub(when, 2))
  return due and due >= 0 and due < SPAN and math.ceil(due) or nil
end
