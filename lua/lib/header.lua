-- @include lib/record.lua
-- @include lib/trace.lua
-- header: checks the header that a put writes.

-- header_valid(header): true if it has only the fields that lib/record.lua names, with valid
-- values.
local function header_valid(header)
  local length = 0
  if string.find(header, '[^ -~]') then return false end -- no blank but a space
  for letter, text in string.gmatch(header, '(%a)=(%S+)') do
    if letter == 'b' then
      if not is_schedule(text) then return false end
    elseif letter == 'c' then
      if not is_traceparent(text) then return false end
    elseif letter == 's' then
      if not is_tracestate(text) then return false end
    elseif not (string.find('xtrpuk', letter, 1, true) and plain(letter, text)) then
      return false
    end
    length = length + #text + 3
  end
  return length == #header + (length > 0 and string.sub(header, 1, 1) ~= ' ' and 1 or 0)
end
