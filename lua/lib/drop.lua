-- @include lib/keys.lua
-- @include lib/move.lua
-- drop(ids, from): any state -> gone. Index first, body last: an error in between leaves a body in
-- no state, which dq-gc --repair makes ready again. from, probe, failing, and what it returns: see
-- move.
local function drop(ids, from, probe, failing)
  if #ids == 0 then return true end
  if not move(nil, nil, ids, from, probe, nil, failing) then return false end
  redis.call('HDEL', KEYS[TRY], unpack(ids))
  redis.call('HDEL', KEYS[MSG], unpack(ids))
  return true
end
