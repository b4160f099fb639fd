-- @include lib/keys.lua
-- @include lib/expiry.lua
-- drop(ids): any state -> gone. Index first, body last: an error in between leaves a body in no state, which dq-gc --repair makes
-- ready again.
local function drop(ids)
  if #ids == 0 then return end
  if redis.call('ZREM', key.leased, unpack(ids)) < #ids then
    redis.call('ZREM', key.ready, unpack(ids))
    redis.call('ZREM', key.delayed, unpack(ids))
    redis.call('ZREM', key.dead, unpack(ids))
    forget_expiries(ids)
  end
  redis.call('HDEL', key.try, unpack(ids))
  redis.call('HDEL', key.msg, unpack(ids))
end
