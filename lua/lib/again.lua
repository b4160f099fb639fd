-- @include lib/keys.lua
-- @include lib/scores.lua
-- @include lib/record.lua
-- @include lib/try.lua
-- @include lib/state.lua
-- @include lib/expiry.lua
-- again: a put of an id that is there already. Each rule decides for one message, writes, and returns its letter. What it is
-- given of the put: due, record, priority; and there, the record that is there.

local function put_into(id, priority, due, now)
  local state, score = home(priority, due, now)
  move(state, {score, id}, {id})
end

-- has_expired(id, record, now): is it past its expiry, and waiting for a take to drop it? The leased are at work, the dead stay.
local function has_expired(id, record, now)
  if not expired_by(header_of(record), now) then return false end
  local state = state_of(id)
  return state == 'delayed' or state == 'ready'
end

local function keep_indexed(id, record)
  local expiries = {}
  note_expiry(expiries, id, header_of(record))
  index_expiries(expiries)
end

-- reschedule(id, m, now): with its own priority, which does not change with the due time.
local function reschedule(id, m, now)
  put_into(id, number_field(header_of(m.there), 'p', PRIORITY), m.due, now)
  keep_indexed(id, m.there)
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
  if number_field(header_of(m.there), 'x') then forget_expiries({id}) end
  redis.call('HSET', key.msg, id, m.record)
  put_into(id, m.priority, m.due, now)
  keep_indexed(id, m.record)
  redis.call('HDEL', key.try, id)
  return 'r'
end

-- What may be asked for existing messages only.
local again_only = {replace = true, earlier = true, later = true}

-- spend(id): the receipt that is out for a delivery whose lease ran out is no longer valid; the tries stay. An ack of it would
-- forget what came in since.
local function spend(id)
  local entry = redis.call('HGET', key.try, id)
  local try = entry and try_parse(entry)
  if try and try.token ~= SETTLED then
    redis.call('HSET', key.try, id, try_text(try.tries, SETTLED, try.due, try.header, try.reason))
  end
end

-- due_in(id, state, score): when it is due, or nil: of the leased, when it is due again if somebody asked for that, else nil;
-- and the leased one's try entry.
local function due_in(id, state, score)
  if state == 'leased' then
    local entry = redis.call('HGET', key.try, id)
    local try = entry and try_parse(entry)
    return try and try.again, try
  elseif state == 'delayed' then
    return math.floor(score)
  elseif state == 'ready' then
    local _, due = ready_split(score)
    return due
  end
end

-- with_later_expiry(there, record): what is there, with the expiry of the put where both have one and that is the later one:
-- so what was accepted does not go before its time, and a put without an expiry changes none.
local function with_later_expiry(there, record)
  local header = header_of(there)
  local old, new = number_field(header, 'x'), number_field(header_of(record), 'x')
  if not (old and new and new > old) then return there end
  local changed = string.gsub(' ' .. header, ' x=[^ ]+', ' x=' .. integer(new), 1)
  return string.sub(changed, 2) .. string.sub(there, #header + 1)
end

-- change_header(id, record): all else stays as it is; the try entry has the header, too.
local function change_header(id, record)
  redis.call('HSET', key.msg, id, record)
  local entry = redis.call('HGET', key.try, id)
  if not entry then return end
  local try, header = try_parse(entry), header_of(record)
  local text = try_text(try.tries, try.token, try.due, header, try.reason)
  if try.again then
    try.header = header
    text = with_again(try, try.again)
  end
  redis.call('HSET', key.try, id, text)
end

-- Only the due time, where is_better(new, old) says so, or there is none; and a later expiry. Whoever is at work on the
-- message goes on, and then it is there again: never two at work, and nothing that came in while a handler ran is forgotten.
-- (Without a try entry nobody can settle it, so nobody is at work.) The dead come back to life.
local function another_time(id, m, now, is_better, letter)
  local state, score = state_of(id)
  local due, try = due_in(id, state, score)
  local stays = due and not is_better(m.due, due, state)
  local record = with_later_expiry(m.there, m.record)
  if not stays and expired_by(header_of(record), m.due) then return 'y' end
  if record ~= m.there then
    m.there = record
    change_header(id, record)
    if try then try.header = header_of(record) end
    if stays and not try then keep_indexed(id, record) end
  end
  if not stays then
    if try then
      redis.call('HSET', key.try, id, with_again(try, m.due))
      return letter
    end
    reschedule(id, m, now)
    if state == 'leased' or state == 'dead' then redis.call('HDEL', key.try, id) end
  end
  if state == 'ready' then spend(id) end
  return stays and 'k' or letter
end

-- Towards now only; what is ready could not be earlier.
function again.earlier(id, m, now)
  return another_time(id, m, now, function(new, old, state) return new < old and state ~= 'ready' end, 'e')
end

-- Away from now only: the ready are delayed once more.
function again.later(id, m, now)
  return another_time(id, m, now, function(new, old) return new > old end, 'l')
end
