-- @include lib/heads.lua
-- pick: the messages that a take may lease, by turns: of the pairs in turn, the first of each; then
-- again, until there are enough.
local picks = {} -- of the pick: pairs, by message
local NONE, ANY = {}, {free = EVER} -- no elements; the room of a key where nothing is limited

-- open(pair, wanted, rooms): what is known of a pair: nothing is read yet. rooms: of the keys that
-- this pick has met; the pairs of a key share one; ANY: all have room. A pair that dq did not write
-- is one of a key that has nothing.
local function open(pair, wanted, rooms)
  local key, class = string.match(pair, '^(%S*) (%d+)$')
  key, class = key or pair, math.min(tonumber(class) or 0, 255)
  if rooms ~= ANY and not rooms[key] then
    local free, only, ready = room(key, wanted)
    rooms[key] = {free = free, none = free < 1, only = only, ready = ready}
  end
  local p = {pair = pair, key = key, class = class, heads = NONE, at = 1, skip = 0,
    room = rooms == ANY and ANY or rooms[key]}
  local till, first = with_keys.till, p.room.only or p.room.ready and p.room.ready[1]
  if first and class_of(key, first) ~= class then -- its pair is another one
    if p.room.free > 0 then add_pair(key, class_of(key, first)) end
    p.room = {free = 0, none = true}
  elseif first and till and not p.room.only and due_of_element(key, first) > till then
    p.room = {free = 0} -- and its pair stays
  elseif first and not p.room.only then
    p.heads, p.skip = {first}, 1
  end
  return p
end

-- pick_by_turns(wanted): ids and their scores, as next_of has them, and the elements of those with
-- keys; and the pairs that are there wrongly. Pairs are read without their scores, which Redis
-- writes slowly.
local function pick_by_turns(wanted)
  local ids, scores, elements, rank, turns, gone, k = {}, {}, {}, 0, {}, {}, 0
  local rooms = limited_by('[nsh]') and {} or ANY
  local ends = false
  picks, stale = {}, {}
  local function serve(p, n)
    local id, score, element = next_of(p, n)
    if not id then return false end
    k = k + 1
    ids[k], scores[k], elements[k], picks[k] = id, score, element or false, p
    return true
  end
  local function serve_again() -- those of a class had one each
    while k < wanted and #turns > 0 do
      local n, again = math.ceil((wanted - k) / #turns) + 1, {}
      for i = 1, #turns do
        local p = turns[i]
        if k < wanted and serve(p, n) then
          again[#again + 1] = p
        elseif k < wanted and p.room.free > 0 and has_one_pair(p.key)
          and next_class(p.key, p.class + 1) then
          ends = true -- only the next take finds its next pair in turn
        end
      end
      turns = again
    end
    turns = {}
    if ends then wanted = k end
  end
  local class
  local most = with_keys.till and ITEMS or EVER -- pairs that it looks at
  while k < wanted and #gone < PAIRS and #stale < ITEMS and rank < most do
    local some = redis.call('ZRANGE', KEYS[TURN], rank, rank + wanted - k - 1)
    rank = rank + #some
    if #some == 0 then break end
    for i = 1, #some do
      local p = open(some[i], wanted, rooms)
      if p.class ~= class then serve_again() end
      class = p.class
      if k >= wanted then break end
      if serve(p, 2) then
        turns[#turns + 1] = p
      elseif (p.room.none or p.room.free > 0) and #stale < ITEMS then
        -- Else another pair of the key took the rest of its room.
        gone[#gone + 1] = p.pair
      end
    end
  end
  serve_again()
  return ids, scores, elements, gone
end

-- pick(wanted): ids and their scores; pairs and elements that are there wrongly go. Stale elements
-- are rare: then it picks again.
local function pick(wanted)
  wary = false
  local ids, scores, elements, gone = pick_by_turns(wanted)
  if not check(ids, scores, elements) then -- one call asks for all of them
    wary = true
    ids, scores, elements, gone = pick_by_turns(wanted)
  end
  with_keys.picked = elements
  for i = 1, #gone do paired[gone[i]] = nil end
  if #stale > 0 then
    redis.call('ZREM', KEYS[KEYED], unpack(stale))
    for i = 1, limited_by('[ns]') and #stale or 0 do place(element_parse(stale[i]) or '') end
  end
  if #gone > 0 then redis.call('ZREM', KEYS[TURN], unpack(gone)) end
  return ids, scores
end
