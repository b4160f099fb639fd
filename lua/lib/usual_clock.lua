-- @include lib/usual.lua
-- @include lib/clock.lua
-- @include lib/usual_shards.lua
-- usual_clock(now_arg, sure): as clock(), then stat.armed, and listed, token and taken of stat, as texts; nil if that time, the clock or the
-- number of shards would be refused; or if the queue has limits (lib/limits.lua), which only the second pass (sure) minds.
local function usual_clock(now_arg, sure)
  local shards = usual_shards(now_arg)
  if shards == nil then return nil end
  local known = peek('HMGET', KEYS[STAT], 'shards', 'armed', 'listed', 'token', 'taken', 'limits')
  if known[1] ~= shards or known[6] and not sure then return nil end
  local now, up, us = clock(now_arg)
  if up < SPAN then return now, up, us, tonumber(known[2] or nil), known[3], known[4], known[5] end
end
