-- @include lib/keys.lua
-- @include lib/digits.lua
-- @include lib/record.lua
-- expiry: the index of delayed and ready messages that have an expiry, by that time. Leased and
-- dead messages are not in it: a delivery may be finished after the expiry, and dead messages stay.
-- A message is added after it has its place, and removed before its record changes. So an error in
-- between may leave a message that only a take drops, but never one that is removed by the expiry
-- of another record.

-- note_expiry(to, id, header): adds it to the list for index_expiries, if the header has one.
local function note_expiry(to, id, header)
  local dies = string.find(header, 'x=', 1, true) and number_field(header, 'x')
  if dies then to[#to + 1], to[#to + 2] = integer(dies), id end
end

-- index_expiries(expiries): expiry, id, expiry, id... of messages that are in delayed or ready now.
-- Sets `indexed`.
local indexed
local function index_expiries(expiries)
  if #expiries == 0 then return end
  indexed = true
  redis.call('ZADD', KEYS[EXPIRY], unpack(expiries))
end

-- forget_expiries(ids): of messages that leave delayed and ready, or whose expiry changes.
local function forget_expiries(ids)
  if #ids > 0 then redis.call('ZREM', KEYS[EXPIRY], unpack(ids)) end
end

-- expiry_agrees(id, state, header, repair): does the index agree with the header of a message in
-- that state (nil: no message)? repair makes it agree.
local function expiry_agrees(id, state, header, repair)
  local expiries = {}
  if state == KEYS[DELAYED] or state == KEYS[READY] then note_expiry(expiries, id, header) end
  local indexed = redis.call('ZSCORE', KEYS[EXPIRY], id) or nil
  if tonumber(expiries[1]) == tonumber(indexed) then return true end
  if repair and #expiries > 0 then
    index_expiries(expiries)
  elseif repair then
    forget_expiries({id})
  end
  return false
end
