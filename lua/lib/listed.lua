-- @include lib/keys.lua
-- @include lib/constants.lua
-- @include lib/digits.lua
-- @include lib/number.lua
-- @include lib/arguments.lua
-- listed: is the queue's name in the list of queues? That list is a sorted set, which may be on
-- another node. stat has
--   generation  of the name: a fence, made as tokens are; a new one after the queue was forgotten.
--               It is the name's score in the list, and unlist removes the name only up to a
--               generation: a late removal does not remove a newer name.
--   listed      when a caller of listed confirmed the name with this generation (ms). It counts for
--               an hour: a failover may lose the name, and a later put adds it again.

-- listed_at(now): that time; false or nil if it does not count, also if the clock was set back
-- since.
local function listed_at(now)
  local at = tonumber(redis.call('HGET', KEYS[STAT], 'listed'))
  return at and at <= now and now - at < LISTED_FOR and at
end

-- generation(): as text, or nil if there is none yet.
local function generation()
  local n = whole(redis.call('HGET', KEYS[STAT], 'generation'), 1, WHOLE)
  return n and integer(n)
end
