-- @include lib/usual.lua
-- marks: most moves need no mark, or one of what is ready. They look before they compute anything;
-- lib/wake.lua has the rest.

-- usual_marks(armed, now, at, adds): what wake(now) would do after a script has added nothing
-- earlier than `at` (ms) to delayed and leased, and (adds) something to ready: '' nothing, 'r' only
-- that mark, '?' only that, if something is ready then; nil or false: perhaps more, or a key is
-- foreign.
local function usual_marks(armed, now, at, adds)
  if not (armed and armed > now and armed <= at) then return nil end -- nor if it is nan
  local ready = adds and 1 or peek('ZCARD', KEYS[READY])
  if ready == 0 then return '' end
  local marks = type(ready) == 'number' and armed <= now + GUARD_MS and peek('ZCARD', KEYS[WAKE])
  if marks == 0 then return adds and 'r' or '?' end
  return type(marks) == 'number' and ''
end

-- add_marks(marks, now, sure): those that usual_marks found to be missing; nil or false: as wake,
-- which the second pass has.
local function add_marks(marks, now, sure)
  if marks == 'r' or marks == '?' and redis.call('ZCARD', KEYS[READY]) > 0 then
    redis.call('ZADD', KEYS[WAKE], '0', 'r')
  end
  if not marks then sure.wake(now) end
end
