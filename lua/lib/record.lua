-- @include lib/keys.lua
-- @include lib/given.lua
-- record: what msg holds for an id: one header line of space-separated fields, LF, payload. Only what differs
-- from the defaults is in the header:
--   x=MS time of expiry   t=MS ttr   r=N tries   p=N priority   b=... retry schedule   u=MS kept unique
local TTR, TRIES, PRIORITY = 60000, 5, 100

-- header_of(record): without LF (nobody but a foreign hand writes that) all of it is payload.
local function header_of(record)
  if string.byte(record) == 10 then return '' end
  return string.match(record, '^([^\n]*)\n') or ''
end

-- field(header, letter): the field's text, or nil.
local function field(header, letter)
  if header == '' then return nil end
  return string.match(' ' .. header, ' ' .. letter .. '=(%S+)')
end

-- number_field(header, letter, default): a header from a foreign hand may say anything: what is no whole number in range
-- is the default.
local function number_field(header, letter, default)
  local text = field(header, letter)
  return text and whole(text, 0, letter == 'p' and 255 or SPAN - 1) or default
end

-- expired_by(header, time): has it an expiry, and is that not after the time (ms)? None means never.
local function expired_by(header, time)
  local dies = number_field(header, 'x')
  return dies ~= nil and dies <= time
end

-- without_expiry(record): the record without the field x of its header.
local function without_expiry(record)
  local header = header_of(record)
  local rest = string.gsub(' ' .. header, ' x=%S+', '')
  return string.sub(rest, 2) .. string.sub(record, #header + 1)
end

-- header_valid(header): nothing but the fields above, each as it should be.
local FIELDS = {x = SPAN - 1, t = SPAN - 1, r = 4294967295, p = 255, u = SPAN - 1}
local function header_valid(header)
  local length = 0
  if string.find(header, '[^ -~]') then return false end -- no blank but a space
  for letter, text in string.gmatch(header, '(%a)=(%S+)') do
    if letter == 'b' then
      if not string.find(text, '^[%w:.,]+$') then return false end
    elseif not (FIELDS[letter] and whole(text, 0, FIELDS[letter])) then
      return false
    end
    length = length + #text + 3
  end
  return length == #header + (length > 0 and string.sub(header, 1, 1) ~= ' ' and 1 or 0)
end

-- records_within(ids, budget): the records of the first ids (false where there is none) until budget bytes are
-- read, at least one; and how many. In chunks that grow with what was seen, since one HMGET of 1,000
-- large records could be gigabytes; the first is of one, which may be all that the budget has room for.
local function records_within(ids, budget)
  local records, bytes, n, chunk = {}, 0, 0, 1
  while n < #ids and bytes < budget do
    local got = redis.call('HMGET', key.msg, unpack(ids, n + 1, math.min(#ids, n + chunk)))
    for i = 1, #got do
      records[n + i] = got[i]
      bytes = bytes + (got[i] and #got[i] or 0)
    end
    n = n + #got
    chunk = math.max(1, math.min(1000, n == 1 and 32 or chunk * 8, math.floor((budget - bytes) * n / (bytes + 1))))
  end
  return records, n
end
