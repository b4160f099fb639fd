-- @include lib/keys.lua
-- @include lib/usual.lua
-- counters: those of the queue, in stat.

-- add(what, n): adds n to a counter. One that is no whole number, or too great, counts as absent:
-- an error would end the move in its middle. A caller without the right to HSET leaves such a
-- counter as it is.
local function add(what, n)
  if type(redis.pcall('HINCRBY', KEYS[STAT], what, n)) ~= 'table' then return end
  if may('HINCRBY', KEYS[STAT], what, '0') then
    if not may('HSET', KEYS[STAT], what, '0') then return end
    redis.pcall('HSET', KEYS[STAT], what, '0')
  end
  redis.call('HINCRBY', KEYS[STAT], what, n)
end

-- count(what, n): the same, if there is something to add.
local function count(what, n)
  if n > 0 then add(what, n) end
end
