-- @include lib/pick.lua
-- rotate: after a take its pairs get their new turns.

-- room_after(p, all): how many of the pair's key may be leased next. all: what was picked was
-- leased.
local function room_after(p, all)
  local it = p.room
  if p.key == '' or not limited_by('[ns]') then return 1 end
  if not it.after then
    it.after = 0
    -- Held by the one that was leased.
    local is_held = all and it.free == 0 and not it.left and limited_by('s')
    it.was_alone = is_held and it.ready and not it.ready[2]
    it.only, it.ready = nil, nil
    if not is_held then it.after, it.only, it.ready = room(p.key, 1) end
  end
  return it.after
end

-- has_more(p, all): has the pair a message that may be leased next?
local function has_more(p, all)
  if room_after(p, all) < 1 then return false end
  if p.left > 0 or p.at <= #p.heads then return true end
  return not p.ended and next_class(p.key, p.class) == p.class
end

-- rotate(passed, leased): of the messages of the pick the first `passed` left ready, `leased` of
-- them to leased: their pairs have had their turn.
-- Redis keeps a sorted set of few short members as a list, and searches that from its start for
-- each of them. A member of over 64 bytes makes it a table until it is empty; so one is there for a
-- moment. It is no pair: who finds it removes it.
local FEW_TURNS, NO_PAIR = 16, string.rep('-', 65)
local function rotate(passed, leased)
  local last, turns, gone = {}, {}, {}
  for i = passed + 1, #picks do
    picks[i].left, picks[i].room.left = (picks[i].left or 0) + 1, true
  end
  for i = passed, 1, -1 do
    local p = picks[i]
    if not p.had then last[#last + 1], p.had, p.left = p, true, p.left or 0 end
  end
  for i = #last, 1, -1 do
    local p = last[i]
    if has_more(p, leased == passed) then
      turns[#turns + 1], turns[#turns + 2] = next_turn(p.class), p.pair
    else
      gone[#gone + 1], paired[p.pair] = p.pair, nil
    end
  end
  if #turns > 2 * FEW_TURNS then
    redis.call('ZADD', KEYS[TURN], '0', NO_PAIR, unpack(turns))
    gone[#gone + 1] = NO_PAIR
  elseif #turns > 0 then
    redis.call('ZADD', KEYS[TURN], unpack(turns))
  end
  if #gone > 0 then redis.call('ZREM', KEYS[TURN], unpack(gone)) end
  for i = 1, limited_by('[ns]') and #last or 0 do
    local p = last[i]
    if p.key ~= '' and not p.room.was_alone then
      arrange(p.key, p.room.after, p.room.only, p.room.ready)
    end
  end
  write_pairs()
  with_keys.picked, with_keys.entries = nil, nil
end
