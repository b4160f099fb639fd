-- @include lib/turn.lua
-- @include lib/picked.lua
-- @include lib/try.lua
-- keyed: what move (lib/move.lua) does for messages with keys, and for the keys that are concerned.
-- A queue that has none makes none of it.

-- note_ready(m): the scores in ready of the messages that move.
local function note_ready(m)
  for i = 1, m.n do
    local score = tonumber(redis.call('ZSCORE', KEYS[READY], m.ids[i]) or nil)
    m.old[m.ids[i]] = score and ready_within(score)
  end
end

-- look_up(m): the try entries of messages that are put: a script that was cut may have left some.
local function look_up(m)
  local entries = redis.call('HMGET', KEYS[TRY], unpack(m.ids, 1, m.n))
  m.begun = {}
  for i = 1, m.n do m.begun[m.ids[i]] = has_begun_by(entries[i]) end
end

-- has_begun(m, id): does a try entry stay? nil: as it was.
local function has_begun(m, id)
  if m.from == NEW and m.begun == nil then look_up(m) end
  if type(m.begun) == 'table' then return m.begun[id] == true end
  if m.begun ~= nil then return m.begun end
  if m.from == KEYS[DELAYED] then return nil end
  return has_begun_by(redis.call('HGET', KEYS[TRY], id))
end

-- add_elements(m): before the messages have their new state. In ready they get the scores of
-- messages with keys.
local function add_elements(m)
  local add, scores, k, last, text = {}, m.scores, 0, nil, nil
  for i = 2, #scores, 2 do
    local key, rest = key_of(scores[i])
    if key then m.keys[key] = true end
    local letter = key and (m.to == KEYS[LEASED] and ' L '
      or m.to == KEYS[DEAD] and stops() and ' A '
      or m.to ~= KEYS[DEAD] and has_begun(m, scores[i]) and ' B ')
    if letter then add[k + 1], add[k + 2], k = '0', key .. letter .. rest, k + 2 end
    if m.to == KEYS[READY] then
      local score = tonumber(scores[i - 1])
      m.new[scores[i]] = score
      if key then
        add[k + 1], add[k + 2], k = '0', ready_element(key, score, rest), k + 2
        if score ~= last then last, text = score, integer(score + KEYED_FROM) end
        scores[i - 1] = text
      end
    end
  end
  if k > 0 then redis.call('ZADD', KEYS[KEYED], unpack(add)) end
end

-- will_move(m): m has what move was given: to, scores, ids, n, from, begun; and of a take picked
-- and entries. false: the queue has no messages with keys yet.
local function will_move(m)
  if m.picked then
    will_lease(m)
    return true
  end
  if with_keys.begin then
    local begins = false
    for i = 2, #(m.scores or {}), 2 do begins = begins or key_of(m.scores[i]) ~= nil end
    if not begins then return false end
    with_keys.begin()
  end
  m.old, m.new, m.keys = {}, {}, {}
  if m.from ~= NEW and m.from ~= KEYS[DELAYED]
    and (m.from == KEYS[READY] or not m.from or m.to == KEYS[READY]) then note_ready(m) end
  if m.to then add_elements(m) end
  return true
end

-- note_old(m, all): the elements of the messages before the move, while they are where they were.
-- all: they all were in m.from.
local function note_old(m, all)
  if m.picked then return end
  if not all and m.to ~= KEYS[READY] and m.from ~= KEYS[READY] then note_ready(m) end
  local stays, gone, k = m.to == KEYS[DELAYED] or m.to == KEYS[READY], {}, 0
  local from_leased = m.from == KEYS[LEASED]
  local leaves_dead = m.to ~= KEYS[DEAD] and (not all or m.from == KEYS[DEAD])
  for i = 1, m.n do
    local id = m.ids[i]
    local key, rest = key_of(id)
    if key then
      m.keys[key] = true
      if (not all or from_leased) and m.to ~= KEYS[LEASED] then
        gone[k + 1], k = key .. ' L ' .. rest, k + 1
      end
      if leaves_dead then gone[k + 1], k = key .. ' A ' .. rest, k + 1 end
      if not (all and from_leased) and not (stays and has_begun(m, id) ~= false) then
        gone[k + 1], k = key .. ' B ' .. rest, k + 1
      end
      local old = m.old[id]
      if old and old % KEYED_FROM ~= m.new[id] then
        gone[k + 1], k = ready_element(key, old, rest), k + 1
      end
    end
  end
  m.gone = gone
end

-- ready_classes(m): by key, the classes of what has become ready.
local function ready_classes(m)
  local came = {}
  for id, score in pairs(m.new) do
    local key = key_of(id) or ''
    came[key] = came[key] or {}
    came[key][math.floor(score / SPAN)] = true
  end
  return came
end

-- place_keys(m): the turns of the keys after the move.
local function place_keys(m)
  local one, pauses, is_ready = limited_by('[ns]'), limited_by('h'), m.to == KEYS[READY]
  local came, chosen, paused, left = one and ready_classes(m), {}, {}, {}
  for i = 1, (one or is_ready) and m.n or 0 do
    local score, key = m.new[m.ids[i]], key_of(m.ids[i]) or ''
    if one and key ~= '' then
      if m.keys[key] then
        local free, only, ready = room(key, 1)
        local _, class = arrange(key, free, only, ready, came[key])
        chosen[key], m.keys[key] = class, nil
      end
    elseif score then
      if pauses and key ~= '' and paused[key] == nil then paused[key] = key_is_paused(key) end
      if not paused[key] then add_pair(key, math.floor(score / SPAN)) end
    end
  end
  for id, score in pairs(m.old) do
    local key, class = key_of(id) or '', math.floor(score % KEYED_FROM / SPAN)
    left[key .. ' ' .. class] = {key, class}
  end
  for _, pair in pairs(left) do
    if not (one and pair[1] ~= '') then
      leave(pair[1], pair[2])
    elseif chosen[pair[1]] ~= pair[2] then
      drop_pair(pair[1], pair[2])
    end
  end
  write_pairs()
end

-- has_moved(m): after the move. A take gives its keys their new turns itself (lib/rotate.lua).
local function has_moved(m)
  if m.gone and #m.gone > 0 then redis.call('ZREM', KEYS[KEYED], unpack(m.gone)) end
  if not m.picked then place_keys(m) end
end
