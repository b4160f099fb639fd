-- @include lib/keys.lua
-- @include lib/constants.lua
-- @include lib/digits.lua
-- @include lib/key_of.lua
-- @include lib/limits.lua
-- @include lib/try.lua
-- @include lib/read_scores.lua
-- elements: what the index keyed has of messages with keys, all with score 0, so that a range by
-- bytes has those of one key:
--   KEY A REST        it is dead, and keys=serial,stop: nothing of its key may go
--   KEY B REST        it has begun (lib/try.lua), and is delayed or ready (again)
--   KEY L REST        it is leased
--   KEY R SORT REST   it is ready. SORT is its score in ready, without KEYED_FROM: so the first of
--   them is the next one of its key
-- All of it follows from the id, the state and the try entry. A script adds an element before the
-- state for which it stands, and removes it after that: where a script is cut, a key is blocked
-- that need not be, until promotes find it (lib/mend_keys.lua).
-- A blank and ! are less than all characters of keys.

local texts = {} -- of small numbers
local function digits_of(n)
  texts[n] = texts[n] or integer(n)
  return texts[n]
end

-- within(key, from, to, skip, n): n elements of the key, but the first `skip`, whose text behind
-- the key is `from` or more, and less than `to`.
local function within(key, from, to, skip, n)
  return redis.call('ZRANGE', KEYS[KEYED], '[' .. key .. from, '(' .. key .. to, 'BYLEX', 'LIMIT',
    digits_of(skip), digits_of(n))
end

-- count_of(key, letter): how many elements the key has with that letter.
local function count_of(key, letter)
  return redis.call('ZLEXCOUNT', KEYS[KEYED], '[' .. key .. ' ' .. letter .. ' ',
    '(' .. key .. ' ' .. letter .. '!')
end

-- sort_text(score): SORT; the score is without KEYED_FROM.
local function sort_text(score)
  local text = integer(score)
  return string.sub('0000000000000000', #text + 1) .. text
end

local last_score, last_sort -- of a batch many have the same
local function ready_element(key, score, rest)
  if score ~= last_score then
    local sort = sort_text(ready_within(score) % KEYED_FROM)
    last_score, last_sort = score, ' R ' .. sort .. ' '
  end
  return key .. last_sort .. rest
end

-- start_of(class): behind the key, where the ready elements of that priority begin.
local starts = {}
local function start_of(class)
  starts[class] = starts[class] or ' R ' .. sort_text(class * SPAN)
  return starts[class]
end

-- ready_of(key, class, skip, n): n of its ready elements of that priority, but the first `skip`.
local function ready_of(key, class, skip, n)
  return within(key, start_of(class), start_of(class + 1), skip, n)
end

-- sort_of(key, element): the score that a ready element of that key has in it.
local function sort_of(key, element)
  return tonumber(string.sub(element, #key + 4, #key + 19)) or 0
end

-- class_of(key, element): the priority of a ready element of that key.
local function class_of(key, element)
  return math.floor(sort_of(key, element) / SPAN)
end

-- due_of_element(key, element): the due time (ms) of a ready element of that key.
local function due_of_element(key, element)
  return sort_of(key, element) % SPAN
end

-- element_parse(element): key, letter, rest; of R also the score in ready. nil: dq did not write
-- it.
local function element_parse(element)
  local key, letter, rest = string.match(element, '^(%S+) ([ABLR]) (.+)$')
  if letter ~= 'R' then return key, letter, rest end
  local sort, after = string.match(rest, '^(%d+) (.+)$')
  if sort then return key, letter, after, sort + KEYED_FROM end
end

-- stops(): does a dead message stop its key?
local function stops()
  return limited_by('d')
end

-- seeks_dead(): are the messages that were dead before that still looked for (lib/mend_keys.lua)?
-- Then no key may go: perhaps one stops it.
local function seeks_dead()
  return stops() and redis.call('HEXISTS', KEYS[STAT], 'dead_walk') == 1
end

-- walks(): is a walk after a setting was changed not over yet (lib/mend_keys.lua)?
local function walks()
  return redis.call('HEXISTS', KEYS[STAT], 'key_walk') == 1 or seeks_dead()
end

-- element_agrees(element): does it agree with the state of its message? One that is dead and in
-- another state, too, is not dead.
local function element_agrees(element)
  local key, letter, rest, score = element_parse(element)
  if not key then return false end
  local id = key .. '+' .. rest
  if letter == 'R' then return tonumber(redis.call('ZSCORE', KEYS[READY], id) or nil) == score end
  local leased = redis.call('ZSCORE', KEYS[LEASED], id)
  if letter == 'L' then return leased ~= false end
  local waits = redis.call('ZSCORE', KEYS[DELAYED], id) or redis.call('ZSCORE', KEYS[READY], id)
  if letter == 'A' then
    return stops() and not leased and not waits
      and redis.call('ZSCORE', KEYS[DEAD], id) ~= false
  end
  return not leased and waits ~= false and has_begun_by(redis.call('HGET', KEYS[TRY], id))
end
