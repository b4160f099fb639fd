-- usual_shards(now_arg, most): how many shards the caller knows, as in stat (lib/shards.lua); nil:
-- the time is invalid (lib/valid_time.lua).
local function usual_shards(now_arg, most)
  if now_arg == '' then return false end
  -- @include lib/valid_time.lua
  -- @include lib/shards.lua
  if not valid_time(now_arg, most) then return nil end
  return known_shards(now_arg)
end
