-- @include lib/plain.lua
-- plain_index: the head of an index, as short paths read it.

-- first_after(index, now): the first time in it (ms), math.huge if there is none; nil if it has come or the key is foreign.
local function first_after(index, now)
  local head = peek('ZRANGE', index, '0', '0', 'WITHSCORES')
  local at = not head.err and math.floor(tonumber(head[2]) or math.huge)
  return at and at > now and at or nil
end
