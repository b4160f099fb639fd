-- @include lib/usual.lua
-- @include lib/elements.lua
-- @include lib/limits.lua
-- @include lib/key_pause.lua
-- @include lib/digits.lua
-- turn: which keys may be served now, and in which order. A pair is KEY CLASS, a class is a
-- priority; its score is CLASS * 2^44 and its turn: the number behind that of the last pair of the
-- class. It is in the index turn if the key has ready messages of that priority and may be served.
-- With keys=serial or key-limit a key has only one pair, that of its next message: so what a key
-- costs that may be served again does not grow with its priorities.
-- The messages without a key are one key together, '', and no setting holds them back. What is in
-- turn wrongly costs a take one look; a pair that lacks is found by promotes (lib/mend_keys.lua).
local CLASS_TURNS = 17592186044416 -- 2^44

-- has_one_pair(key): see above.
local function has_one_pair(key)
  return key ~= '' and limited_by('[ns]')
end

-- room(key, wanted): how many of wanted messages of the key may be leased now; the element of the
-- only one that may, if not any may: with keys=serial what has begun is the next, unless a dead one
-- stops its key; and, if they were read, its first two ready elements. Of a paused key none may.
local function room(key, wanted)
  if key ~= '' and key_is_paused(key) then wanted = 0 end
  if not has_one_pair(key) then return wanted end
  if seeks_dead() then return 0 end
  if limited_by('s') then
    local some = within(key, stops() and ' A ' or ' B ', ' R!', 0, 2)
    local _, letter, rest = element_parse(some[1] or '')
    if not some[1] or letter == 'R' then return math.min(wanted, 1), nil, some end
    if letter ~= 'B' or not may('ZSCORE', KEYS[READY], '0') then return 0 end
    local score = redis.call('ZSCORE', KEYS[READY], key .. '+' .. rest)
    local free = score and not within(key, ' L ', ' L!', 0, 1)[1]
    return free and math.min(wanted, 1) or 0, score and ready_element(key, tonumber(score), rest)
  end
  local most = setting_limit('key-limit', 'n', 1)
  return most and math.min(wanted, math.max(most - count_of(key, 'L'), 0)) or wanted
end

local last_turns, paired = {}, {} -- by class; pairs that are known to be in turn
local adds, drops = {}, {} -- what write_pairs adds, and removes

local function class_range(class)
  return integer(class * CLASS_TURNS), '(' .. integer((class + 1) * CLASS_TURNS)
end

-- next_turn(class): the score behind the last pair of that class.
local function next_turn(class)
  if not last_turns[class] then
    local from, to = class_range(class)
    last_turns[class] = tonumber(redis.call('ZRANGE', KEYS[TURN], to, from, 'BYSCORE', 'REV',
      'LIMIT', 0, 1, 'WITHSCORES')[2]) or class * CLASS_TURNS
  end
  last_turns[class] = last_turns[class] + 1
  return integer(last_turns[class])
end

local pair_ends = {} -- by class
local function pair_of(key, class)
  pair_ends[class] = pair_ends[class] or ' ' .. integer(class)
  return key .. pair_ends[class]
end

-- write_pairs(): who may only put leaves in turn what is to go.
local function write_pairs()
  if #drops > 0 and may('ZREM', KEYS[TURN], '0') and may('ZSCORE', KEYS[TURN], '0') then
    redis.call('ZREM', KEYS[TURN], unpack(drops))
  end
  if #adds > 0 then redis.call('ZADD', KEYS[TURN], 'NX', unpack(adds)) end
  adds, drops = {}, {}
end

-- add_pair(key, class): notes it for write_pairs. One that is there keeps its turn.
local function add_pair(key, class)
  local pair = pair_of(key, class)
  if paired[pair] then return end
  paired[pair] = true
  adds[#adds + 1], adds[#adds + 2] = next_turn(class), pair
  if #adds >= 2 * ITEMS then write_pairs() end
end

-- drop_pair(key, class): notes that it goes.
local function drop_pair(key, class)
  local pair = pair_of(key, class)
  if paired[pair] or #drops >= ITEMS then write_pairs() end -- it may be among adds
  paired[pair] = nil
  drops[#drops + 1] = pair
end

-- next_class(key, class, ready): the first class from that one on of which the key has ready
-- messages; nil: none. ready: its first elements from there on, if they are known.
local function next_class(key, class, ready)
  if key ~= '' then
    local element = (ready or within(key, start_of(class), ' R!', 0, 1))[1]
    return element and math.max(class_of(key, element), class)
  end
  local from, to = integer(class * SPAN), '(' .. integer(KEYED_FROM)
  local head = redis.call('ZRANGE', KEYS[READY], from, to, 'BYSCORE', 'LIMIT', 0, 1, 'WITHSCORES')
  return head[2] and math.max(math.floor(head[2] / SPAN), class)
end

-- note_pair(key, class, goes): notes for write_pairs that the pair is to be there, or is not.
local function note_pair(key, class, goes)
  if goes then add_pair(key, class) else drop_pair(key, class) end
end

-- arrange(key, free, only, ready, came): notes for write_pairs what its pairs should be, by what
-- room returned. came: has the classes of its messages that have become ready now; nil: none. The
-- class of its one pair was the first one that had other messages, too. Returns how many it looked
-- at, and the class of the one pair; nil: it has none.
local function arrange(key, free, only, ready, came)
  local one, class, n = has_one_pair(key), next_class(key, 0, ready), 0
  local chosen = one and (only and class_of(key, only) or class)
  while class do
    note_pair(key, class, free > 0 and (not one or class == chosen))
    n = n + 1
    if one and not (came and came[class]) then break end
    class = class < 255 and not (ready and not ready[2]) and next_class(key, class + 1)
  end
  if only then note_pair(key, chosen, free > 0) end
  return n, free > 0 and chosen or nil
end

-- place(key): its pairs as they should be. May be called at any time. Returns how many there are.
local function place(key)
  local n = arrange(key, room(key, 1))
  write_pairs()
  return n
end

-- leave(key, class): one of its messages of that class is not ready any more.
local function leave(key, class)
  if next_class(key, class) ~= class then drop_pair(key, class) end
end
