#!lua flags=allow-oom
-- mark: puts back a mark that a waiter has popped and will not act on (lib/wake.lua). The mark of
-- wake is put back only if a message is ready, and may be leased, or a limit is new; a mark of
-- timer or guard, if it belongs to stat.armed: any other was replaced by a later mark.
-- KEYS    see lib/keys.lua
-- ARGV    now   ms, '' = the server's clock
--         part  wake, timer or guard
--         at    its score, ms; for timer also '?': the marks in timer and guard may be lost, their
--               time is not known
-- Reply   1 if the mark was not there and now is, else 0
-- Errors  DQTYPE, DQRANGE
-- @include lib/parts.lua
-- @include lib/arguments.lua
-- @include lib/wake.lua
local part, lost = ARGV[2], ARGV[2] == 'timer' and ARGV[3] == '?'
local at = whole(ARGV[3], 0, WHOLE)
local MARKS, AFTER = {wake = 'r', timer = 't', guard = 'u'}, {timer = 0, guard = GUARD_MS}

local refused = refusal_any_time(ARGV[1], 'part', MARKS[part], 'at', at or lost)
if refused then return refused end

-- is_useful(now): would the mark of what is ready wake somebody to take, or to learn of a new
-- limit?
local function is_useful(now)
  local more, _, till = ready_now(now)
  return more == 1 or till >= 0 and tells(now)
end

-- is_left(now): are perhaps only takers left that do not wait for times, and do not know of a new
-- limit?
local function is_left(now)
  if not tells(now) then return false end
  local more, _, till = ready_now(now)
  return more == 1 or till >= 0
end

if part == 'wake' and not is_useful((clock(ARGV[1]))) then return 0 end
local armed = AFTER[part] and armed_at()
if AFTER[part] and not (armed and (lost or armed + AFTER[part] == at)) then return 0 end
if part == 'timer' and limits() and is_left((clock(ARGV[1]))) then
  redis.call('ZADD', KEYS[WAKE], 0, 'r')
end
if lost then redis.call('ZADD', KEYS[GUARD], armed + GUARD_MS, 'u') end
return redis.call('ZADD', key[part], lost and armed or at, MARKS[part])
