-- @include lib/pick.lua
-- rotate: after a take its pairs get their new turns.

-- has_more(p): has the pair a message that may be leased next?
local function has_more(p)
  if p.key ~= '' and limited_by('[ns]') and room(p.key, 1) < 1 then return false end
  if p.left > 0 or p.at <= #p.heads then return true end
  return not p.ended and next_class(p.key, p.class) == p.class
end

-- rotate(passed): of the messages of the pick the first `passed` left ready: their pairs have had their turn.
local function rotate(passed)
  local last, seen, turns, gone = {}, {}, {}, {}
  for i = #picks, 1, -1 do
    local p = picks[i]
    p.left = (p.left or 0) + (i > passed and 1 or 0)
    if i <= passed and not seen[p] then last[#last + 1], seen[p] = p, true end
  end
  for i = #last, 1, -1 do
    local p = last[i]
    if has_more(p) then
      turns[#turns + 1], turns[#turns + 2] = next_turn(p.class), p.pair
    else
      gone[#gone + 1], paired[p.pair] = p.pair, nil
    end
  end
  if #turns > 0 then redis.call('ZADD', KEYS[TURN], unpack(turns)) end
  if #gone > 0 then redis.call('ZREM', KEYS[TURN], unpack(gone)) end
  for i = 1, limited_by('[ns]') and #last or 0 do
    if last[i].key ~= '' then place(last[i].key) end
  end
  with_keys.picked, with_keys.entries = nil, nil
end
