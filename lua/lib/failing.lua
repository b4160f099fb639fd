-- @include lib/keys.lua
-- @include lib/digits.lua
-- failing: the index of messages that failed, or were given back often, and are not done or dead
-- yet, by the time when they were due for the first time. It has those whose try entries have FIRST
-- (lib/try.lua), whatever state they are in; dq-gc --check compares both. move takes out of it what
-- dies or goes; what loses its entry otherwise is taken out here.

-- forget_failing(ids): of messages that are new again.
local function forget_failing(ids)
  if #ids > 0 then redis.call('ZREM', KEYS[FAILING], unpack(ids)) end
end

-- failing_agrees(id, first, repair): does the index agree with FIRST (nil: none)? repair makes it
-- agree.
local function failing_agrees(id, first, repair)
  local indexed = tonumber(redis.call('ZSCORE', KEYS[FAILING], id) or nil)
  if indexed == first then return true end
  if repair and first then
    redis.call('ZADD', KEYS[FAILING], integer(first), id)
  elseif repair then
    forget_failing({id})
  end
  return false
end
