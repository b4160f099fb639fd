-- @include lib/keys.lua
-- counters: those of the queue, in stat.

-- count(what, n): adds n to a counter.
local function count(what, n)
  if n > 0 then redis.call('HINCRBY', KEYS[STAT], what, n) end
end
