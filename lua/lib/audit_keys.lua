-- @include lib/turn.lua
-- audit_keys: do keyed and turn agree with the states of messages? Faults: 'wrong key', 'wrong
-- turn'. An element too many blocks its key; one too few lets too many be leased, or hides a
-- message.
local WRONG_KEY, WRONG_TURN = 'wrong key', 'wrong turn'

-- elements_of(key, rest, state, score): those that its message has to have.
local function elements_of(key, rest, state, score)
  if state == KEYS[LEASED] then return {key .. ' L ' .. rest} end
  if state == KEYS[DEAD] then return {key .. ' A ' .. rest} end
  local own = state == KEYS[READY] and {ready_element(key, score, rest)} or {}
  if has_begun_by(redis.call('HGET', KEYS[TRY], key .. '+' .. rest)) then
    own[#own + 1] = key .. ' B ' .. rest
  end
  return own
end

-- in_turn(key, class, element): is it, if its message may be leased now? A walk that is not over
-- may still place it, and so may a take after the end of a pause.
local function in_turn(key, class, element)
  if redis.call('ZSCORE', KEYS[TURN], pair_of(key, class)) then return true end
  if walks() or had_pause(key) then return true end
  local free, only = room(key, 1)
  return free < 1 or only ~= nil and only ~= element
    or has_one_pair(key) and not only and next_class(key, 0) ~= class
end

-- key_fault(id, state, score, repair): the fault of a message that is in that state, or nil. A
-- queue without messages with keys has none; nor has a dead one that stops nothing.
local function key_fault(id, state, score, repair)
  local key, rest = key_of(id)
  if state == KEYS[DEAD] and not (key and stops()) then return nil end
  if not limited_by('k') then
    if not key then return nil end
    if not repair then return WRONG_KEY end
    word = (limits() or '') .. 'k' -- all that follows from the ids was lost
    note_limits()
  end
  local fault, own = nil, key and elements_of(key, rest, state, score) or {}
  if state == KEYS[READY] and (score >= KEYED_FROM) ~= (key ~= nil) then
    fault = WRONG_KEY
    score = score % KEYED_FROM
    if repair then
      redis.call('ZADD', KEYS[READY], integer(key and score + KEYED_FROM or score), id)
    end
  end
  for i = 1, #own do
    if not redis.call('ZSCORE', KEYS[KEYED], own[i]) and not (state == KEYS[DEAD] and walks()) then
      fault = WRONG_KEY
      if repair then redis.call('ZADD', KEYS[KEYED], 0, own[i]) end
    end
  end
  local class = math.floor(score % KEYED_FROM / SPAN)
  if not fault and state == KEYS[READY] and not in_turn(key or '', class, own[1]) then
    fault = WRONG_TURN
  end
  if fault and repair then place(key or '') end
  return fault
end

-- element_fault(element, score, repair): the fault of what keyed has, or nil; and the id of its
-- message. With another score than 0 no range finds it.
local function element_fault(element, score, repair)
  local agrees = element_agrees(element)
  if agrees and score == '0' then return nil end
  local key, letter, rest = element_parse(element)
  if letter == 'A' and not stops() and walks() then return nil end
  if repair then
    redis.call('ZREM', KEYS[KEYED], element)
    if agrees then redis.call('ZADD', KEYS[KEYED], 0, element) end
    if key then place(key) end
  end
  return WRONG_KEY, key and key .. '+' .. rest or element
end
