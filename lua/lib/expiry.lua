-- @include lib/keys.lua
-- @include lib/types.lua
-- @include lib/number.lua
-- @include lib/record.lua
-- expiry: the index of the messages that have an expiry, by it, while they wait for a taker: delayed or ready. Who is at work on
-- one may finish, and the dead stay: so it has neither the leased, nor the dead, and what is at its head can go.
-- A message goes into the index after it has its place, and out before its record changes: what an error in the middle leaves is
-- a message that only a take drops, and never one that goes with another's expiry.

-- note_expiry(to, id, header): gathers it for index_expiries where there is one.
local function note_expiry(to, id, header)
  local dies = string.find(header, 'x=', 1, true) and number_field(header, 'x')
  if dies then to[#to + 1], to[#to + 2] = integer(dies), id end
end

-- index_expiries(expiries): expiry, id, expiry, id... of messages that wait now.
local function index_expiries(expiries)
  if #expiries == 0 then return end
  redis.call('ZADD', key.expiry, unpack(expiries))
  exists.expiry = true
end

-- forget_expiries(ids): of messages that wait no longer, or not with that expiry.
local function forget_expiries(ids)
  if #ids > 0 and key_exists('expiry') then redis.call('ZREM', key.expiry, unpack(ids)) end
end

-- expiry_agrees(id, state, header, repair): does the index agree with the header of a message in that state (nil: no message)?
-- repair makes it agree.
local function expiry_agrees(id, state, header, repair)
  local expiries = {}
  if state == 'delayed' or state == 'ready' then note_expiry(expiries, id, header) end
  local indexed = key_exists('expiry') and redis.call('ZSCORE', key.expiry, id) or nil
  if tonumber(expiries[1]) == tonumber(indexed) then return true end
  if repair and #expiries > 0 then index_expiries(expiries) elseif repair then forget_expiries({id}) end
  return false
end
