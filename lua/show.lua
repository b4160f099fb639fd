#!lua flags=no-writes
-- show: reads one message.
-- KEYS    see lib/keys.lua
-- ARGV    now      ms, '' = the server's clock
--         id
--         payload  '1': with the payload
-- Reply   an empty array if there is no such message; or now, state ('' = a body in no state), ms (due time, end of the lease,
--         time of death; -1 = none), priority, tries (as take), last token, due time of that delivery (-1 = none), due time after that
--         delivery (if a put has rescheduled it; -1 = none), last reason, header, bytes of payload, payload ('' unless wanted)
-- Errors  DQTYPE, DQRANGE
-- @include lib/keys.lua
-- @include lib/arguments.lua
-- @include lib/clock.lua
-- @include lib/record.lua
-- @include lib/try.lua
-- @include lib/place.lua
local now_arg, id, with_payload = ARGV[1], ARGV[2], ARGV[3]

local refused = refusal_any_time(now_arg, 'id', id)
if refused then return refused end
local now = clock(now_arg)
local record = redis.call('HGET', KEYS[MSG], id)
if not record then return {} end
local header = header_of(record)
local payload = string.sub(record, string.find(record, '\n', 1, true) and #header + 2 or 1)
local try = try_of(id) or {tries = 0, token = '', due = -1, reason = ''}

local state, at = place_of(id, now)
return {
  now, state, at, number_field(header, 'p', PRIORITY), tries_of(try), try.token, try.due, try.again or -1, try.reason, header,
  #payload, with_payload == '1' and payload or '',
}
