-- @include lib/usual.lua
-- @include lib/clock.lua
-- @include lib/usual_shards.lua
-- usual_clock(now_arg, sure, field...): as clock(), then stat.armed, and two more fields of stat,
-- as texts, if they are named: each costs time. nil if that time, the clock or the number of shards
-- would be refused; or, in the first pass, if the queue has limits (lib/limits.lua).
local function usual_clock(now_arg, sure, ...)
  local shards = usual_shards(now_arg)
  if shards == nil then return nil end
  local known = peek('HMGET', KEYS[STAT], 'shards', 'limits', 'armed', ...)
  if known[1] ~= shards or known[2] and not sure then return nil end
  local now, up, us = clock(now_arg)
  if up < SPAN then return now, up, us, tonumber(known[3] or nil), known[4], known[5] end
end
