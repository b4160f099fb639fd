-- @include lib/elements.lua
-- mend_keys: what promotes do for keys. An interrupted script leaves too many elements, or a key
-- that is not in turn; and a setting that was changed places keys anew.
local MEND, WALK = 50, 250

-- mend_keys(): compares a slice of the elements of what is leased or has begun with the states,
-- from stat.key_at on, in turn, and places their keys. At the elements of what is ready a take
-- looks itself (lib/pick.lua). Of those of the dead of a key at the first: it stops the key,
-- however many there are.
local function mend_keys()
  local at = redis.call('HGET', KEYS[STAT], 'key_at')
  local from, gone, touched, last = at or '-', {}, {''}, nil
  for _ = 1, MEND do
    local element = redis.call('ZRANGE', KEYS[KEYED], from, '+', 'BYLEX', 'LIMIT', 0, 1)[1]
    from = nil
    if not element then break end
    local key, letter = element_parse(element)
    if letter ~= 'R' and not element_agrees(element) then gone[#gone + 1] = element end
    if key ~= last then touched[#touched + 1], last = key, key end
    from = '(' .. ((letter == 'R' or letter == 'A') and key .. ' ' .. letter .. '!' or element)
  end
  if #gone > 0 then redis.call('ZREM', KEYS[KEYED], unpack(gone)) end
  local looked = 0
  for i = 1, #touched do
    local n = with_keys.place(touched[i])
    looked = looked + (touched[i] == '' and 0 or n)
    if looked >= WALK and i < #touched then -- the next call places the others
      from = '(' .. touched[i] .. '!'
      break
    end
  end
  if from then
    redis.call('HSET', KEYS[STAT], 'key_at', from)
  elseif at then
    redis.call('HDEL', KEYS[STAT], 'key_at')
  end
end

-- let_go(key, most): where dead messages do not stop their keys any more: removes so many of their
-- elements at most; returns how many.
local function let_go(key, most)
  local gone = not stops() and within(key, ' A ', ' A!', 0, most) or {}
  if #gone > 0 then redis.call('ZREM', KEYS[KEYED], unpack(gone)) end
  return #gone
end

-- walk_keys(): places a slice of the keys, from stat.key_walk on, if a setting was changed.
local function walk_keys()
  local at = not seeks_dead() and redis.call('HGET', KEYS[STAT], 'key_walk')
  if not at then return end
  local left, looks = ITEMS, WALK -- elements that this call may remove, and pairs
  for _ = 1, WALK do
    local element = redis.call('ZRANGE', KEYS[KEYED], at == '' and '-' or '(' .. at .. '!', '+',
      'BYLEX', 'LIMIT', 0, 1)[1]
    if not element then return redis.call('HDEL', KEYS[STAT], 'key_walk') end
    local key = string.match(element, '^%S*')
    left = left - let_go(key, left)
    looks = looks - with_keys.place(key)
    if left == 0 then break end -- perhaps the key has more of them
    at = key
    if looks <= 0 then break end
  end
  redis.call('HSET', KEYS[STAT], 'key_walk', at)
end

-- dead_after(at): a slice of the dead: id, score, id, score...; and how many of the score of the
-- first it passes over. at: the score of the last one of the slice before, how many of that score
-- were passed, and its id. Others may leave or come in between: if another one is in that place
-- now, all of that score come again.
local function dead_after(at)
  local score, skip, id = string.match(at, '^(%S+) (%d+) (.*)$')
  local from, passed = score or '-inf', tonumber(skip or 0)
  if passed > 0 and redis.call('ZRANGE', KEYS[DEAD], from, '+inf', 'BYSCORE',
      'LIMIT', passed - 1, 1)[1] ~= id then
    passed = 0
  end
  return redis.call('ZRANGE', KEYS[DEAD], from, '+inf', 'BYSCORE',
    'LIMIT', passed, WALK, 'WITHSCORES'), passed, score
end

-- walk_dead(): since dead messages stop their keys: a slice of those that were dead before get
-- their elements, from stat.dead_walk on. Then the keys are placed.
local function walk_dead()
  local at = stops() and redis.call('HGET', KEYS[STAT], 'dead_walk')
  if not at then return end
  local dead, passed, score = dead_after(at)
  local add = {}
  for i = 1, #dead, 2 do
    local key, rest = key_of(dead[i])
    if key then add[#add + 1], add[#add + 2] = 0, key .. ' A ' .. rest end
    passed, score = dead[i + 1] == score and passed + 1 or 1, dead[i + 1]
  end
  if #add > 0 then redis.call('ZADD', KEYS[KEYED], unpack(add)) end
  if #dead == 2 * WALK then
    return redis.call('HSET', KEYS[STAT], 'dead_walk',
      score .. ' ' .. integer(passed) .. ' ' .. dead[#dead - 1])
  end
  redis.call('HSET', KEYS[STAT], 'key_walk', '')
  redis.call('HDEL', KEYS[STAT], 'dead_walk')
end
