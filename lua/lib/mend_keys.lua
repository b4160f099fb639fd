-- @include lib/elements.lua
-- mend_keys: what promotes do for keys. An interrupted script leaves too many elements, or a key that is not in turn; and a setting that
-- was changed places keys anew.
local MEND, WALK = 50, 250

-- mend_keys(): compares a slice of the elements of what is leased or has begun with the states, from stat.key_at on, in turn, and places
-- their keys. At the elements of what is ready a take looks itself (lib/pick.lua).
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
    from = '(' .. (letter == 'R' and key .. ' R!' or element)
  end
  if #gone > 0 then redis.call('ZREM', KEYS[KEYED], unpack(gone)) end
  for i = 1, #touched do with_keys.place(touched[i]) end
  if from then
    redis.call('HSET', KEYS[STAT], 'key_at', from)
  elseif at then
    redis.call('HDEL', KEYS[STAT], 'key_at')
  end
end

-- walk_keys(): places a slice of the keys, from stat.key_walk on, if a setting was changed.
local function walk_keys()
  local at = redis.call('HGET', KEYS[STAT], 'key_walk')
  if not at then return end
  for _ = 1, WALK do
    local element = redis.call('ZRANGE', KEYS[KEYED], at == '' and '-' or '(' .. at .. '!', '+', 'BYLEX', 'LIMIT', 0, 1)[1]
    if not element then return redis.call('HDEL', KEYS[STAT], 'key_walk') end
    at = string.match(element, '^%S*')
    with_keys.place(at)
  end
  redis.call('HSET', KEYS[STAT], 'key_walk', at)
end
