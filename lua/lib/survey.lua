-- @include lib/blocked.lua
-- @include lib/read_scores.lua
-- survey: which ready messages are not delivered because of their keys, whatever happens to others.
-- It looks at a bounded number of keys: those of the first messages of each priority, of which a
-- message leaves none before it is the first itself; those that are paused; and some that may be
-- blocked for long.
local WINDOW, LOOKS, PAGE, PAGES, SOME = 100, 1000, 250, 16, 50
local reasons, left = {}, ITEMS -- of keys that were looked at; at how many more
local seen = {blocked = EVER, key = '', by = NOT_BLOCKED, free = EVER, keys = 0, messages = 0}

-- reason(key): as blocked_by; nil: too many keys were looked at.
local function reason(key)
  if not reasons[key] and left > 0 then reasons[key], left = blocked_by(key), left - 1 end
  return reasons[key]
end

-- note(key, due): one of its ready messages is due since then.
local function note(key, due)
  local by = reason(key)
  if by == NOT_BLOCKED then
    seen.free = math.min(seen.free, due)
  elseif by and due < seen.blocked then
    seen.blocked, seen.key, seen.by = due, key, by
  end
end

-- note_first(key): by its first ready message, if it has any.
local function note_first(key)
  local element = within(key, ' R ', ' R!', 0, 1)[1]
  if element then note(key, due_of_element(key, element)) end
end

local function note_ready_ones()
  local class, looks = 0, LOOKS
  while class < 256 and looks > 0 do
    local some = redis.call('ZRANGE', KEYS[READY], integer(KEYED_FROM + class * SPAN), '+inf',
      'BYSCORE', 'LIMIT', 0, integer(math.min(looks, WINDOW)), 'WITHSCORES')
    if #some == 0 then break end
    class = ready_split(tonumber(some[2]))
    for i = 1, #some, 2 do
      local priority, due = ready_split(tonumber(some[i + 1]))
      if priority ~= class then break end
      local key = key_of(some[i])
      if key then note(key, due) end
      looks = looks - 1
    end
    class = class + 1
  end
end

-- note_paused(): the keys whose pause is not over: at most KEY_PAUSES.
local function note_paused(now)
  local _, ends = key_pauses(now)
  for key in pairs(ends) do
    local ready = count_of(key, 'R')
    if ready > 0 then
      reasons[key] = BY_PAUSE
      seen.keys, seen.messages = seen.keys + 1, seen.messages + ready
      note_first(key)
    end
  end
end

-- note_some(state, ...): the keys of some of its messages.
local function note_some(state, ...)
  for _, id in ipairs(redis.call('ZRANGE', state, 0, integer(SOME - 1), ...)) do
    local key = key_of(id)
    if key and reason(key) then note_first(key) end
  end
end

-- note_turn(): the first pairs of keys that may be served; true: there is none at all. (A take
-- drops those that are in turn wrongly.)
local function note_turn()
  left = ITEMS
  for page = 0, PAGES - 1 do
    local some = redis.call('ZRANGE', KEYS[TURN], integer(page * PAGE),
      integer((page + 1) * PAGE - 1))
    for i = 1, #some do
      local key = string.match(some[i], '^(%S+) %d+$')
      if key and not reason(key) then return false end
      if reasons[key or ''] == NOT_BLOCKED then note_first(key) end
    end
    if seen.free < EVER then return false end
    if #some < PAGE then return true end
  end
  return false
end

-- survey(now, keyless): seen: when the first message was due that is blocked, its key, and why; how
-- many keys are paused that have ready messages, and how many; when the first one of a key was due
-- that may be served (EVER: none), of those looked at; and none: nothing at all may be served.
-- keyless: are messages without a key ready?
local function survey(now, keyless)
  if limited_by('h') then note_paused(now) end
  note_ready_ones()
  if limited_by('[ns]') then
    note_some(KEYS[LEASED], 'REV')
    note_some(KEYS[FAILING])
    note_some(KEYS[DEAD])
  end
  seen.none = seen.free == EVER and note_turn() and not keyless and not walks()
    and key_pause_end() > now
  return seen
end
