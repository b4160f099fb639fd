-- @include lib/keys.lua
-- @include lib/scores.lua
-- @include lib/record.lua
-- @include lib/try.lua
-- @include lib/state.lua
-- again: a put of an id that is there already. Each rule decides for one message, writes, and returns its letter. What it is
-- given of the put: due, record, priority; and there, the record that is there.

-- home(priority, due, now): the state a new due time means, and its score.
local function home(priority, due, now)
  if due <= now then return 'ready', ready_score(priority, due) end
  return 'delayed', delayed_score(priority, due)
end

local function put_into(id, priority, due, now)
  local state, score = home(priority, due, now)
  move(state, {score, id}, {id})
end

-- has_expired(id, record, now): is it past its expiry, and waiting for a take to drop it? The leased are at work, the dead stay.
local function has_expired(id, record, now)
  if number_field(header_of(record), 'x', SPAN) > now then return false end
  local state = state_of(id)
  return state == 'delayed' or state == 'ready'
end

-- reschedule(id, m, now): with its own priority, which does not change with the due time. False, and nothing done, where it
-- would be due after its expiry only.
local function reschedule(id, m, now)
  local header = header_of(m.there)
  if m.due >= number_field(header, 'x', SPAN) then return false end
  put_into(id, number_field(header, 'p', PRIORITY), m.due, now)
  return true
end

local again = {}

function again.fail() return 'x' end

function again.keep() return 'k' end

-- The same put come again after a lost connection: the record is there, byte for byte but for the expiry's time.
again['repeat'] = function(_, m)
  local same = string.gsub(m.there, '^x=%d+', 'x=', 1) == string.gsub(m.record, '^x=%d+', 'x=', 1)
  return same and 's' or 'x'
end

-- All of it anew, whatever the state: a receipt that is out for the old one is no longer valid.
function again.replace(id, m, now)
  redis.call('HSET', key.msg, id, m.record)
  put_into(id, m.priority, m.due, now)
  redis.call('HDEL', key.try, id)
  return 'r'
end

-- What may be asked for existing messages only.
local again_only = {replace = true, earlier = true, later = true}

-- Only the due time, and only towards now. What is ready or leased could not be earlier; the dead come back to life.
function again.earlier(id, m, now)
  local state, score = state_of(id)
  if state == 'ready' or state == 'leased' or (state == 'delayed' and math.floor(score) <= m.due) then return 'k' end
  if not reschedule(id, m, now) then return 'y' end
  if state == 'dead' then redis.call('HDEL', key.try, id) end
  return 'e'
end

-- spend(id): the receipt that is out for a delivery whose lease ran out is no longer valid; the tries stay.
local function spend(id)
  local entry = redis.call('HGET', key.try, id)
  if not entry then return end
  local try = try_parse(entry)
  redis.call('HSET', key.try, id, try_text(try.tries, SETTLED, try.due, try.header, try.reason))
end

-- Only the due time, and only away from now: the ready are delayed once more, the leased are taken away from their
-- holder, and the dead come back to life. Whoever is still at work on the message, late or not, cannot ack it any more,
-- so that nothing that came in while a handler ran is forgotten.
function again.later(id, m, now)
  local state, score = state_of(id)
  local due = -1
  if state == 'delayed' then
    due = math.floor(score)
  elseif state == 'ready' then
    local _
    _, due = ready_split(score)
  end
  if m.due <= due then return 'k' end
  if not reschedule(id, m, now) then return 'y' end
  if state == 'leased' or state == 'dead' then redis.call('HDEL', key.try, id) end
  if state == 'ready' then spend(id) end
  return 'l'
end
