-- @include lib/constants.lua
-- @include lib/number.lua
-- @include lib/clock.lua
-- @include lib/shards.lua
-- plain: what the paths for one plain message share (lib/*_plain.lua). Such a path does what the rest of its script would do, in
-- less than half of the time: it stands before the other includes, since a script makes its functions anew in each call.
-- It reads, then decides, then writes. The first write may be part of the decision (redis.pcall): if it changes nothing, or is
-- refused, nothing is written. If anything is not plain it returns nil, and the rest of the script does the work or names what is
-- wrong. So a key of a foreign type and a missing right are not plain.
-- A change of how a message moves concerns both; test/sim takes both.

local peek = redis.pcall -- for reads only: an error is for the rest of the script to name

-- plain_clock(given): as clock(), or nil if that would be refused.
local function plain_clock(given)
  if given == '' or given and whole(string.match(given, '^[^/]+') or '0', 0, WHOLE) then return clock(given) end
end

-- delivery(try, id, token): the try entry, if the receipt is valid and no put asked for the message during the delivery; or nil.
local function delivery(try, id, token)
  local entry = token and token ~= '0' and peek('HGET', try, id)
  return type(entry) == 'string' and string.match(entry, '^%d+ (%d+) %d+ [^\n]*\n') == token and entry or nil
end

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
