-- @include lib/usual_put.lua
-- @include lib/existing.lua
-- usual_change(now, armed, due): the usual put of one message that exists and waits, by its mode;
-- or nil.
local function usual_change(now, armed, due)
  local id = batch.ids[1]
  local there, state = peek('HGET', KEYS[MSG], id), KEYS[DELAYED]
  if type(there) ~= 'string' or expired_by(header_of(there), now) then return nil end
  local m = {due = due, record = batch.fields[2], priority = priority, there = there}
  if not changes then return existing[mode](id, m) end

  m.score = tonumber(peek('ZSCORE', KEYS[DELAYED], id))
  if not m.score then
    state, m.score = KEYS[READY], tonumber(peek('ZSCORE', KEYS[READY], id))
  end
  m.state = m.score and state
  local marks = m.state and usual_marks(armed, now, due > now and due or math.huge, due <= now)
  -- One that is leased, too, is not usual: an interrupted script left it there.
  local usual = marks and peek('ZSCORE', KEYS[LEASED], id) == false
    and is_set(KEYS[DELAYED]) and is_set(KEYS[READY]) and is_set(KEYS[EXPIRY])
  local tried = usual and peek('HEXISTS', KEYS[TRY], id)
  usual = tried == 0 or tried == 1 and is_set(KEYS[FAILING])
  usual = usual and may('HSET', KEYS[MSG], '0', '0') and may('ZADD', KEYS[READY], '0', '0')
    and may('ZREM', KEYS[READY], '0') and may('HDEL', KEYS[TRY], '0')
    and may('HINCRBY', KEYS[STAT], '0', '0')
  if not usual then return nil end
  local letter = existing[mode](id, m, now)
  if string.find(letter, '[relm]') then
    add('rescheduled', 1)
    add_marks(marks, now)
  end
  return letter
end
