-- @include lib/plain.lua
-- delivery(try, id, token): the try entry, if the receipt is valid and no put has rescheduled the message; or nil.
local function delivery(try, id, token)
  local entry = token and token ~= '0' and peek('HGET', try, id)
  return type(entry) == 'string' and string.match(entry, '^%d+ (%d+) %d+ [^\n]*\n') == token and entry or nil
end
