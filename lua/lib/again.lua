-- @include lib/record.lua
-- @include lib/state.lua
-- @include lib/expiry.lua
-- @include lib/reschedule.lua
-- again: a put of an id that exists. There is a function for each mode: again[mode](id, m, now) decides for one message, writes,
-- and returns the letter. See lib/reschedule.lua for m.

-- has_expired(id, record, now): is it past its expiry, and in delayed or ready? Leased and dead messages stay.
local function has_expired(id, record, now)
  if not expired_by(header_of(record), now) then return false end
  local state = state_of(id)
  return state == 'delayed' or state == 'ready'
end

local again = {}

function again.fail() return 'x' end

function again.keep() return 'k' end

-- The same put sent again after a lost connection: the record is the same, except for the time of the expiry.
again['repeat'] = function(_, m)
  local same = string.gsub(m.there, '^x=%d+', 'x=', 1) == string.gsub(m.record, '^x=%d+', 'x=', 1)
  return same and 's' or 'x'
end

-- In any state: the message is as new, and a receipt of the old one is no longer valid.
function again.replace(id, m, now)
  if number_field(header_of(m.there), 'x') then forget_expiries({id}) end
  redis.call('HSET', key.msg, id, m.record)
  put_into(id, m.priority, m.due, now)
  keep_indexed(id, m.record)
  redis.call('HDEL', key.try, id)
  return 'r'
end

-- The modes that only- may stand before.
local again_only = {replace = true, earlier = true, later = true}

-- Towards now only; a ready message cannot be earlier.
function again.earlier(id, m, now)
  return another_time(id, m, now, function(new, old, state) return new < old and state ~= 'ready' end, 'e')
end

-- Away from now only: a ready message is delayed again.
function again.later(id, m, now)
  return another_time(id, m, now, function(new, old) return new > old end, 'l')
end
