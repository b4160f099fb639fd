-- @include lib/keys.lua
-- @include lib/number.lua
-- @include lib/given.lua
-- listed: whether the queue's name is in the list of queues, which is a sorted set and may be on another node. stat has
--   generation  of the name: a fence, made as tokens are, and another one each time that the queue is forgotten. It is the name's
--               score in the list: who removes the name says up to which one, so a removal that comes late takes no later name.
--   listed      when somebody said that the name is there with this generation (ms). It counts for an hour: a failover may
--               lose the name, and then the next put brings it back.
local LISTED_FOR = 3600000

-- listed_at(now): that time, or nil where it does not count, as where the clock went back since.
local function listed_at(now)
  local at = tonumber(redis.call('HGET', key.stat, 'listed'))
  return at and at <= now and now - at < LISTED_FOR and at
end

-- generation(): as text, or nil where there is none yet.
local function generation()
  local n = whole(redis.call('HGET', key.stat, 'generation'), 1, WHOLE)
  return n and integer(n)
end
