-- @include lib/usual.lua
-- next_in(by): the next due time or lease end, at most by (ms); nil if a key is foreign.
local function next_in(by)
  local due = peek('ZRANGE', KEYS[DELAYED], '0', '0', 'WITHSCORES')
  local lease = peek('ZRANGE', KEYS[LEASED], '0', '0', 'WITHSCORES')
  if due.err or lease.err then return nil end
  return math.min(by, math.floor(math.min(tonumber(due[2]) or by, tonumber(lease[2]) or by)))
end
