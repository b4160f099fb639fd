-- @include lib/usual.lua
-- first_after(key, now): the first time in that index (ms), math.huge if there is none; nil if it
-- has come or the key is foreign.
local function first_after(key, now)
  local head = peek('ZRANGE', key, '0', '0', 'WITHSCORES')
  local at = not head.err and math.floor(tonumber(head[2]) or math.huge)
  return at and at > now and at or nil
end
