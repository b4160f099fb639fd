-- @include lib/keys.lua
-- @include lib/constants.lua
-- @include lib/number.lua
-- @include lib/digits.lua
-- record: what msg holds for an id: one header line of space-separated fields, LF, payload. Only
-- what differs
-- from the defaults is in the header:
--   x=MS time of expiry   t=MS ttr   r=N tries   p=N priority   b=... retry schedule   u=MS kept
--   unique
--   k=1 the outcome is kept as long (lib/outcome.lua)
--   c=... traceparent   s=... tracestate: of W3C trace context; no script reads them
-- A record that dq did not write may have any header. A field with a value that is no plain number
-- in its range, or no schedule, counts as absent; of several the first one counts.
-- common/message/header.c reads it in the same way.
local MOST_PRIORITY = 255

-- header_of(record): without LF (dq writes no such record) all of it is payload.
local function header_of(record)
  if string.byte(record) == 10 then return '' end
  return string.match(record, '^([^\n]*)\n') or ''
end

-- field(header, letter): the field's text, or nil.
local function field(header, letter)
  if header == '' then return nil end
  return string.match(' ' .. header, ' ' .. letter .. '=([^ ]+)')
end

-- plain(letter, text): the number, or nil. Digits only: tonumber accepts 0x10 and 1e3, too.
local function plain(letter, text)
  local least = (letter == 't' or letter == 'r') and 1 or 0
  local most = letter == 'k' and 1 or letter == 'r' and MOST_TRIES
    or letter == 'p' and MOST_PRIORITY or SPAN - 1
  return string.find(text, '^%d+$') and whole(text, least, most) or nil
end

-- number_field(header, letter, default): the number in the field, or the default.
local function number_field(header, letter, default)
  local text = field(header, letter)
  return text and plain(letter, text) or default
end

-- is_schedule(text): MS,MS... or exp:MIN..MAX, MIN from 1 to MAX.
local function is_schedule(text)
  local min, max = string.match(text, '^exp:(%d+)%.%.(%d+)$')
  if min then
    return tonumber(min) >= 1 and tonumber(min) <= tonumber(max) and tonumber(max) < SPAN
  end
  if not string.find(text, '^[%d,]+$') or string.find(',' .. text .. ',', ',,', 1, true) then
    return false
  end
  for ms in string.gmatch(text, '%d+') do
    if tonumber(ms) >= SPAN then return false end
  end
  return true
end

-- expired_by(header, time): has it an expiry, and is that not after the time (ms)?
local function expired_by(header, time)
  local dies = number_field(header, 'x')
  return dies ~= nil and dies <= time
end

-- with_expiry(record, dies): the record with its field x changed to that time (ms), or without the
-- field if dies is nil.
local function with_expiry(record, dies)
  local header = header_of(record)
  local changed = string.gsub(' ' .. header, ' x=[^ ]+', dies and ' x=' .. integer(dies) or '')
  return string.sub(changed, 2) .. string.sub(record, #header + 1)
end

-- records_within(ids, budget): the records of the first ids (false if there is none) until budget
-- bytes are read, at least one; and how many. One HMGET of 1,000 large records could be gigabytes:
-- so it reads in chunks, the first of one record, and their size follows from the bytes read so
-- far.
local function records_within(ids, budget)
  local records, bytes, n, chunk = {}, 0, 0, 1
  while n < #ids and bytes < budget do
    local got = redis.call('HMGET', KEYS[MSG], unpack(ids, n + 1, math.min(#ids, n + chunk)))
    for i = 1, #got do
      records[n + i] = got[i]
      bytes = bytes + (got[i] and #got[i] or 0)
    end
    n = n + #got
    chunk = math.max(1, math.min(1000, n == 1 and 32 or chunk * 8,
      math.floor((budget - bytes) * n / (bytes + 1))))
  end
  return records, n
end
