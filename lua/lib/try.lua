-- @include lib/clock.lua
-- try: what the try hash holds for a message that was delivered at least once:
--   TRIES TOKEN DUE HEADER, LF, last reason
-- TOKEN is the fence: a receipt is valid while it is the last one; '0' once the delivery is settled.
-- DUE is when that delivery was due (ms). HEADER is the record's, so that settling needs no look at bodies.
local SETTLED = '0'

local function try_parse(entry)
  local tries, token, due, header, reason = string.match(entry, '^(%d+) (%d+) (%d+) ([^\n]*)\n(.*)$')
  if not tries then
    return {tries = 0, token = SETTLED, due = 0, header = '', reason = 'unreadable entry'}
  end
  return {tries = tonumber(tries), token = token, due = tonumber(due), header = header, reason = reason}
end

local function try_text(tries, token, due, header, reason)
  return integer(tries) .. ' ' .. token .. ' ' .. integer(due) .. ' ' .. header .. '\n' .. reason
end
