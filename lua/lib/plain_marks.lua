-- @include lib/plain.lua
-- time_stands(armed, now, at): would wake() (lib/wake.lua) make no mark of a time, if only at (ms) is added? armed is never later
-- than what is in delayed and leased.
local function time_stands(armed, now, at)
  local time = tonumber(armed or nil)
  return time and time > now and time <= at
end

-- marks_stand(armed, now, at, ready, wake): would it make none at all? What is ready has its mark, and a time at most GUARD away.
local function marks_stand(armed, now, at, ready, wake)
  if not time_stands(armed, now, at) then return false end
  local n = peek('ZCARD', ready)
  if n == 0 then return true end
  local marks = peek('ZCARD', wake)
  return type(n) == 'number' and type(marks) == 'number' and marks > 0 and tonumber(armed) <= now + GUARD
end
