#!lua flags=no-writes
-- What the fragments read of a header: t, r, p, x, u, and the numbers of the schedule; or its
-- traceparent.
--
-- KEYS   those of the queue
-- ARGV   id; then 'c' for the traceparent
-- @include lib/keys.lua
-- @include lib/record.lua
-- @include lib/backoff.lua
-- @include lib/trace.lua
local header = header_of(redis.call('HGET', KEYS[MSG], ARGV[1]))
local c = field(header, 'c')
if ARGV[2] then return c and is_traceparent(c) and c or 'null' end
local b = field(header, 'b')
b = b and is_schedule(b) and b or BACKOFF
local exp = string.find(b, '^exp:')
local function number(letter, default) return integer(number_field(header, letter, default)) end
local waits = {}
for ms in string.gmatch(b, '%d+') do waits[#waits + 1] = integer(tonumber(ms)) end
local x = number_field(header, 'x')
return table.concat({number('t', TTR), number('r', TRIES), number('p', PRIORITY),
  x and integer(x) or 'null', number('u', 0),
  (exp and 'exp' or '') .. '[' .. table.concat(waits, ',') .. ']'}, ' ')
