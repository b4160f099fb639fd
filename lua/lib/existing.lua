-- @include lib/record.lua
-- @include lib/state.lua
-- @include lib/expiry.lua
-- @include lib/failing.lua
-- @include lib/reschedule.lua
-- existing: a put of an id that exists. Each mode has a function: existing[mode](id, m, now)
-- decides for one message, writes, and returns the letter. See lib/reschedule.lua for m.

-- has_expired(id, record, now): is the message past its expiry, and in delayed or ready? Leased and
-- dead messages stay.
local function has_expired(id, record, now)
  if not expired_by(header_of(record), now) then return false end
  local state = state_of(id)
  return state == KEYS[DELAYED] or state == KEYS[READY]
end

local existing = {}

-- Without the right to look, as if it were alive: the put is refused anyway.
function existing.fail(id)
  local died = redis.acl_check_cmd('ZSCORE', KEYS[DEAD], id)
    and redis.pcall('ZSCORE', KEYS[DEAD], id)
  return type(died) == 'string' and 'b' or 'x'
end

function existing.keep() return 'k' end

-- The same put sent again after a lost connection: the record is the same, except for the time of
-- the expiry.
existing['repeat'] = function(id, m)
  local same = string.gsub(m.there, '^x=%d+', 'x=', 1) == string.gsub(m.record, '^x=%d+', 'x=', 1)
  return same and 's' or existing.fail(id)
end

-- In any state. The message is new then; receipts of the old one are no longer valid.
function existing.replace(id, m, now)
  if number_field(header_of(m.there), 'x') then forget_expiries({id}) end
  redis.call('HSET', KEYS[MSG], id, m.record)
  m.begun = false
  put_into(id, m.priority, m, now)
  keep_indexed(id, m.record)
  if redis.call('HDEL', KEYS[TRY], id) == 1 then forget_failing({id}) end
  return 'r'
end

-- Only to an earlier time; a ready message cannot be earlier.
function existing.earlier(id, m, now)
  return another_time(id, m, now,
    function(new, old, state) return new < old and state ~= KEYS[READY] end, 'e')
end

-- Only to a later time: a ready message is delayed again.
function existing.later(id, m, now)
  return another_time(id, m, now, function(new, old) return new > old end, 'l')
end

-- To that time, earlier or later.
function existing.move(id, m, now)
  return another_time(id, m, now, function(new, old) return new ~= old end, 'm')
end

-- The payload only: neither the due time nor the state.
existing.edit = another_payload
