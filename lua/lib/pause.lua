-- @include lib/keys.lua
-- @include lib/number.lua
-- pause: what conf has of a pause, of the queue or of a key: '1', its end (ms), or of the queue
-- 'load', perhaps with the end of the pause that goes on after the load.

local LONG_OVER = '2' -- the first end that there is

-- pause_end(pause): when it ends (ms); nil: it does not end by itself.
local function pause_end(pause)
  return whole(pause, 2, SPAN - 1)
end

-- pause_is_over(pause, now): has its time passed?
local function pause_is_over(pause, now)
  local till = pause_end(pause)
  return till ~= nil and till <= now
end

-- pause_of_load(pause): 'load' if it is that of a load, else nil; and the end of the pause that
-- goes on after the load, '' = none.
local function pause_of_load(pause)
  return string.match(pause or '', '^(load) ?(%d*)$')
end
