-- @include lib/keys.lua
-- @include lib/key_of.lua
-- @include lib/begin_keys.lua
-- forget_dead(ids): of messages that were dead and in another state, too, which they keep: their
-- keys are not stopped by them any more.
local function forget_dead(ids)
  local gone, keys = {}, {}
  for i = 1, #ids do
    local key, rest = key_of(ids[i])
    if key then gone[#gone + 1], keys[key] = key .. ' A ' .. rest, true end
  end
  if #gone > 0 then redis.call('ZREM', KEYS[KEYED], unpack(gone)) end
  for key in pairs(keys) do with_keys.place(key) end
end
