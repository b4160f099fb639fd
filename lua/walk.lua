#!lua flags=no-writes
-- walk: reads a slice of a queue, for dq-dump; it moves no message. The body of a message stays in
-- its place when its state changes. So a walk finds each message that exists during all of it at
-- least once, each time in one state.
-- KEYS    see lib/keys.lua
-- ARGV    now     ms, '' = the server's clock
--         part    msg: the messages; settled: the reserved ids
--         cursor  '0' at first, then as replied. It is good on the same server only
--         count   about so many, 1-1000
-- Reply   next cursor ('0' = the end), now; then for each message: id, state ('' = a body in no
--         state), ms (due time, end of the lease, time of death; -1 = none), tries (as take), due
--         time of the last delivery (-1 = none), due time after it (if a put has rescheduled it; -1
--         = none), first due time (if it failed or was given back since; -1 = it was not), how many
--         tries in a row have failed, last reason, record; or for each reserved id: id, ms, outcome
--         (lib/outcome.lua; '' = none)
-- Errors  DQTYPE, DQRANGE
-- @include lib/parts.lua
-- @include lib/arguments.lua
-- @include lib/clock.lua
-- @include lib/try.lua
-- @include lib/place.lua
-- @include lib/cursor.lua
local now_arg, part, cursor, size = ARGV[1], ARGV[2], ARGV[3], whole(ARGV[4], 1, ITEMS)
local SCANS = {msg = 'HSCAN', settled = 'ZSCAN'}

local refused = refusal_any_time(now_arg, 'part', SCANS[part], 'cursor', is_cursor(cursor),
  'count', size)
if refused then return refused end
local now = clock(now_arg)
local NO_TRY = {tries = 0, due = -1, reason = ''}

local slice = redis.call(SCANS[part], key[part], cursor, 'COUNT', size)
local reply, n, found = {slice[1], now}, 2, slice[2]
for i = 1, #found, 2 do
  local id = found[i]
  if part == 'msg' then
    local state, at = place_of(id, now)
    local try = try_of(id) or NO_TRY
    reply[n + 1], reply[n + 2], reply[n + 3], reply[n + 4], reply[n + 5] =
      id, state, at, tries_of(try), last_due(try)
    reply[n + 6], reply[n + 7], reply[n + 8] =
      try.again or -1, try.first or try.since or -1, failures(try, state == 'leased')
    reply[n + 9], reply[n + 10] = try.reason, found[i + 1]
    n = n + 10
  else
    reply[n + 1], reply[n + 2] = id, time_within(math.floor(tonumber(found[i + 1])))
    reply[n + 3] = key_exists('outcome') and redis.call('HGET', KEYS[OUTCOME], id) or ''
    n = n + 3
  end
end
return reply
