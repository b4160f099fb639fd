-- @include lib/keys.lua
-- @include lib/record.lua
-- @include lib/expiry.lua
-- duplicates: ids of a put's batch (lib/batch.lua) that the batch has twice, or that exist already.

-- any_twice(batch): does the batch have an id twice?
local function any_twice(batch)
  local ids, seen = batch.ids, {}
  for i = 1, batch.n do
    if seen[ids[i]] then return true end
    seen[ids[i]] = true
  end
  return false
end

-- any_there(batch): does a message with one of the ids exist? HMGET finds several ids in a call,
-- but it reads their records, which may be large. So this asks for a few at a time. It asks for the
-- first id alone, without its record: in a repeated
-- batch that one exists.
local AT_ONCE = 16
local function any_there(batch)
  local ids, n = batch.ids, batch.n
  if redis.call('HEXISTS', KEYS[MSG], ids[1]) == 1 then return true end
  for i = 2, n, AT_ONCE do
    local records = redis.call('HMGET', KEYS[MSG], unpack(ids, i, math.min(n, i + AT_ONCE - 1)))
    for j = 1, #records do
      if records[j] then return true end
    end
  end
  return false
end

-- any_expired(batch, now): does one of the ids belong to a message past its expiry?
local function any_expired(batch, now)
  for i = 1, batch.n do
    local there = redis.call('HGET', KEYS[MSG], batch.ids[i])
    if there and expired_by(header_of(there), now) then return true end
  end
  return false
end
