-- @include lib/keys.lua
-- @include lib/read_scores.lua
-- @include lib/record.lua
-- @include lib/try.lua
-- @include lib/state.lua
-- @include lib/move.lua
-- @include lib/expiry.lua
-- reschedule: a new due time for a message that exists. m is one put of it: its `due`, `record` and
-- `priority`; and `there`, the record that exists; `state` and `score`, if it is known where that
-- one is; and `begun`: does its try entry stay (see move)?

local function put_into(id, priority, m, now)
  local state, score = home(priority, m.due, now)
  move(state, {score_text(score), id}, {id}, m.state, nil, nil, nil, m.begun)
end

local function keep_indexed(id, record)
  local expiries = {}
  note_expiry(expiries, id, header_of(record))
  index_expiries(expiries)
end

-- reschedule(id, m, now): changes the due time, not the priority.
local function reschedule(id, m, now)
  put_into(id, number_field(header_of(m.there), 'p', PRIORITY), m, now)
  keep_indexed(id, m.there)
end

-- due_in(state, score): when it is due by its place; nil for the leased and the dead.
local function due_in(state, score)
  if state == KEYS[DELAYED] then return math.floor(score) end
  if state ~= KEYS[READY] then return nil end
  local _, due = ready_split(score)
  return due
end

-- with_later_expiry(there, record): what is there; if both it and the put have an expiry, with the
-- later one. So an accepted put does not expire before its own time, and a put without an expiry
-- changes none.
local function with_later_expiry(there, record)
  local old, new = number_field(header_of(there), 'x'), number_field(header_of(record), 'x')
  if not (old and new and new > old) then return there end
  return with_expiry(there, new)
end

-- update_try(id, try, state, header, due): writes the entry if it changes: to the header and AGAIN
-- that are given (nil: as it is), and in ready and dead to no valid receipt. The tries stay.
local function update_try(id, try, state, header, due)
  local before = entry_text(try)
  try.header, try.again = header or try.header, due or try.again
  local text = state == KEYS[LEASED] and entry_text(try) or settled_text(try, '')
  if text ~= before then redis.call('HSET', KEYS[TRY], id, text) end
end

-- revive(id, try, header): of one that was dead: what is remembered of it.
local function revive(id, try, header)
  fails(try)
  try.header = header
  redis.call('ZADD', KEYS[FAILING], integer(try.first), id)
  redis.call('HSET', KEYS[TRY], id, renewed_text(try, ''))
end

-- another_time(id, m, now, is_better, letter): changes the due time if is_better(new, old, state)
-- or there is none; and the expiry to a later one.
-- Leased: the delivery goes on, and the message is due again when it ends. So no two deliveries run
-- at once, and an ack does not forget what was put since. Without a try entry nobody can settle it:
-- then no delivery runs.
-- Ready after its lease expired: that receipt is no longer valid, since an ack would forget this
-- put.
-- Dead: ready or delayed again, with all tries; it fails until it succeeds.
local function another_time(id, m, now, is_better, letter)
  local state, score = m.state, m.score
  if not state then state, score = state_of(id) end
  local try = (state == KEYS[LEASED] or state == KEYS[READY]) and try_of(id) or nil
  local dead = state == KEYS[DEAD] and try_of(id)
  local running = state == KEYS[LEASED] and try
  local due = running and try.again or due_in(state, score)
  local stays = due and not is_better(m.due, due, state)
  local record = with_later_expiry(m.there, m.record)
  local header = record ~= m.there and header_of(record) or nil -- the new one
  if not stays and expired_by(header_of(record), m.due) then return 'y' end

  if header then redis.call('HSET', KEYS[MSG], id, record) end
  if header and state == KEYS[DELAYED] then try = try_of(id) end
  if try then update_try(id, try, state, header, running and not stays and m.due or nil) end
  m.there = record
  if not stays and not running then
    if state == KEYS[LEASED] or state == KEYS[DEAD] then m.begun = false end
    reschedule(id, m, now)
    if dead then
      revive(id, dead, header_of(record))
    elseif state == KEYS[LEASED] then
      redis.call('HDEL', KEYS[TRY], id)
    end
  elseif header and not running then
    keep_indexed(id, record)
  end
  return stays and 'k' or letter
end

-- another_payload(id, m): changes the payload, and no other part of the record.
-- Leased: the delivery goes on, with the old payload, so the message is due again, as it was, when
-- it ends. Otherwise a receipt that is still valid is so no longer, since an ack would forget this
-- put.
local function another_payload(id, m)
  local header = header_of(m.there)
  local record = header .. '\n' .. string.sub(m.record, #header_of(m.record) + 2)
  if record == m.there then return 'k' end
  local state, try = m.state or state_of(id), try_of(id)
  if try then
    update_try(id, try, state, nil, state == KEYS[LEASED] and not try.again and try.due or nil)
  end
  redis.call('HSET', KEYS[MSG], id, record)
  return 'p'
end
