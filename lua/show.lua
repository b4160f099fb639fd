#!lua flags=no-writes
-- show: reads messages.
-- KEYS    see lib/keys.lua
-- ARGV    now      ms, '' = the server's clock
--         payload  '1': with their payloads
--         then ids; at most 1,000
-- Reply   now; then for each of the first ids, at least for one, an array: empty if there is no
--         such message;
--         or three values if its id is reserved: reserved, until when (ms), outcome
--         (lib/outcome.lua; '' = none); or state ('' = a body in no state), ms (due time, end of
--         the lease, time of death; -1 = none), priority, tries (as take), last token, due time of
--         that delivery (-1 = none), due time after that delivery (if a put has rescheduled it; -1
--         = none), first due time (if it failed or was given back since; -1 = it was not), how many
--         tries in a row have failed, last reason, holder (of the leased; '' = not known), header,
--         bytes of payload, payload ('' unless wanted). After about 1 MiB of records it leaves the
--         rest to the next call
-- Errors  DQTYPE, DQRANGE
-- @include lib/keys.lua
-- @include lib/arguments.lua
-- @include lib/clock.lua
-- @include lib/record.lua
-- @include lib/try.lua
-- @include lib/place.lua
-- @include lib/reserved.lua
local now_arg, with_payload = ARGV[1], ARGV[2] == '1'
local FIRST = 3
local ENOUGH = 1048576 -- bytes of records; common/queue/queue.h has it, too

local refused = refusal_any_time(now_arg, 'ids', items(FIRST, 1))
if refused then return refused end
local now = clock(now_arg)
local NO_TRY = {tries = 0, token = '', due = -1, reason = ''}

-- fields(id, record): what is shown of a message.
local function fields(id, record)
  local header = header_of(record)
  local payload = string.sub(record, string.find(record, '\n', 1, true) and #header + 2 or 1)
  local try = try_of(id) or NO_TRY
  local state, at = place_of(id, now)
  return {
    state, at, number_field(header, 'p', PRIORITY), tries_of(try), try.token,
    last_due(try), try.again or -1, try.first or try.since or -1,
    failures(try, state == 'leased'), try.reason, state == 'leased' and try_holder(try) or '',
    header, #payload, with_payload and payload or '',
  }
end

-- of_reserved(id): what is shown of an id without a message.
local function of_reserved(id)
  local till = key_exists('settled') and settled_till(id, now)
  if not till then return {} end
  return {'reserved', time_within(math.floor(till)),
    key_exists('outcome') and redis.call('HGET', KEYS[OUTCOME], id) or ''}
end

local reply, bytes = {now}, 0
for i = FIRST, #ARGV do
  local record = redis.call('HGET', KEYS[MSG], ARGV[i])
  reply[#reply + 1] = record and fields(ARGV[i], record) or of_reserved(ARGV[i])
  bytes = bytes + #(record or '')
  if bytes >= ENOUGH then break end
end
return reply
