-- @include lib/turn.lua
-- pick: the messages that a take may lease, by turns: of the pairs in turn, the first of each; then again, until there are enough.
local picks, stale -- of the pick: pairs, by message; elements that an interrupted script left

-- fetch(p, n): the next n ready messages of a pair, as elements; of those without a key: id, score, id, score...
local function fetch(p, n)
  if p.room.only then
    p.heads, p.ended = p.skip == 0 and {p.room.only} or {}, true
  elseif p.key == '' then
    p.heads = redis.call('ZRANGE', KEYS[READY], integer(p.class * SPAN), '(' .. integer((p.class + 1) * SPAN), 'BYSCORE',
      'LIMIT', p.skip, n, 'WITHSCORES')
    p.ended = #p.heads < 2 * n
  else
    p.heads = within(class_start(p.key, p.class), class_start(p.key, p.class + 1), p.skip, n)
    p.ended = #p.heads < n
  end
  p.skip, p.at = p.skip + n, 1
end

-- next_of(p, n): the pair's next message, its score and, if it has a key, its element; nil: it has no more that may be leased. n: so
-- many are read at once. Elements that an interrupted script left are passed over, ITEMS of them at most in a call.
local function next_of(p, n)
  while p.room.free > 0 and #stale < ITEMS do
    if p.at > #p.heads then
      if p.ended then return nil end
      fetch(p, n)
    end
    local head = p.heads[p.at]
    if not head then return nil end
    p.at = p.at + (p.key == '' and 2 or 1)
    if p.key == '' then return head, tonumber(p.heads[p.at - 1]) end
    local id = p.key .. '+' .. string.sub(head, #p.key + 21)
    local score = tonumber(redis.call('ZSCORE', KEYS[READY], id) or nil)
    if score and score % KEYED_FROM == tonumber(string.sub(head, #p.key + 4, #p.key + 19)) then
      p.room.free = p.room.free - 1
      return id, score, head
    end
    stale[#stale + 1] = head
  end
end

-- open(pair, wanted, rooms): what is known of a pair: nothing is read yet. rooms: of the keys that this pick has met; the pairs of a key
-- share one. A pair that dq did not write is one of a key that has nothing.
local function open(pair, wanted, rooms)
  local key, class = string.match(pair, '^(%S*) (%d+)$')
  key, class = key or pair, math.min(tonumber(class) or 0, 255)
  if not rooms[key] then
    local free, only = room(key, wanted)
    rooms[key] = {free = free, none = free < 1, only = only, class = only and math.floor(string.sub(only, #key + 4, #key + 19) / SPAN)}
  end
  local p = {pair = pair, key = key, class = class, heads = {}, at = 1, skip = 0, room = rooms[key]}
  if p.room.only and p.room.class ~= class then p.room = {free = 0, none = true} end
  return p
end

-- pick(wanted): ids and their scores; pairs and elements that are there wrongly go. Pairs are read without their scores, which Redis
-- writes slowly.
local function pick(wanted)
  local ids, scores, rank, turns, rooms, gone, k = {}, {}, 0, {}, {}, {}, 0
  picks, stale, with_keys.picked, with_keys.elements = {}, {}, {}, {}
  local function serve(p, n)
    local id, score, element = next_of(p, n)
    if not id then return false end
    k = k + 1
    ids[k], scores[k], picks[k], with_keys.picked[id], with_keys.elements[id] = id, score, p, score, element
    return true
  end
  local function serve_again() -- those of a class had one each
    while k < wanted and #turns > 0 do
      local n, again = math.ceil((wanted - k) / #turns) + 1, {}
      for i = 1, #turns do
        if k < wanted and serve(turns[i], n) then again[#again + 1] = turns[i] end
      end
      turns = again
    end
    turns = {}
  end
  local class
  while k < wanted and #gone < ITEMS and #stale < ITEMS do
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
      elseif (p.room.none or p.room.free > 0) and #stale < ITEMS then -- else another pair of the key took the rest of its room
        gone[#gone + 1], paired[p.pair] = p.pair, nil
      end
    end
  end
  serve_again()
  if #stale > 0 then redis.call('ZREM', KEYS[KEYED], unpack(stale)) end
  if #gone > 0 then redis.call('ZREM', KEYS[TURN], unpack(gone)) end
  return ids, scores
end
