#!lua flags=no-writes
-- keys: the keys of messages, a page at a time; or the messages of one of them, slice by slice.
-- Nothing moves.
-- KEYS    see lib/keys.lua
-- ARGV    now     ms, '' = the server's clock
--         what    list: keys; find: the messages of a key
--         key     list: only keys after that one, by bytes ('' = from the first on); find: that one
--         number  list: at most so many, 1-1000; find: a cursor: '0' at first, then as replied; it
--                 is good on the same server only
--         count   find: looks at about so many messages, 1-1000. A message that exists during the
--                 whole walk is found at least once
-- Reply   of list, for each key: key; how many of its messages are ready, leased, and were
--         delivered before and wait again (ready ones count twice then), and are dead (-1: not
--         known: they stop no key, or are still looked for); due time of its first ready one (ms,
--         -1 = none is ready), and the priority of that; 1 if one of them may be taken now, but for
--         the limits of all messages, else 0; what blocks the key: 0 nothing, 2 a dead message;
--         and if one is ready: 1 what is leased, 3 its pause, 4 the first one waits for its next
--         try, 5 not known before takes or promotes have looked at the key. If from is '' the
--         messages without a key come first, if any are ready: key '', 0 leased, 0 waiting again;
--         limit does not count them. Fewer than limit: the end
--         of find: next cursor ('0' = the end); now; then for each message: id, state ('' = a body
--         in no state), ms (due time, end of the lease, time of death; -1 = none), tries (as take),
--         due time (of the leased and the dead: of the last delivery, or -1), last reason ('' =
--         none), holder (of the leased; '' = not known)
-- Errors  DQTYPE, DQRANGE
-- @include lib/keys.lua
-- @include lib/arguments.lua
-- @include lib/clock.lua
-- @include lib/blocked.lua
-- @include lib/try.lua
-- @include lib/place.lua
-- @include lib/cursor.lua
local now_arg, what, name = ARGV[1], ARGV[2], ARGV[3]
local cursor, limit = ARGV[4], whole(ARGV[what == 'find' and 5 or 4], 1, ITEMS)

local is_name = name and #name <= 126 and string.find(name, '^[%w._:-]*$')
  and (what == 'list' or name ~= '')
local refused = refusal_any_time(now_arg, 'what', what == 'list' or what == 'find', 'key', is_name,
  'number', what == 'list' and limit or what == 'find' and is_cursor(cursor), 'count', limit)
if refused then return refused end
local now = clock(now_arg)

-- first_from(from, to): the first element of that range.
local function first_from(from, to)
  return redis.call('ZRANGE', KEYS[KEYED], from, to, 'BYLEX', 'LIMIT', 0, 1)[1]
end

-- is_in_turn(key): may it be served, and is it in turn with any of its classes? In a queue without
-- keys all are; and a take ends a pause that is over.
local function is_in_turn(key)
  local free, only = room(key, 1)
  local class = free > 0 and (only and class_of(key, only) or next_class(key, 0))
  local is = class and (not limited_by('k') or had_pause(key))
  while class and not is do
    is = redis.call('ZSCORE', KEYS[TURN], pair_of(key, class))
    class = class < 255 and not has_one_pair(key) and next_class(key, class + 1)
  end
  return is and 1 or 0
end

-- add_row(reply, key, ready, leased, waits, dead, score): score: of its first ready one, without
-- what says that it has a key; or nil.
local function add_row(reply, key, ready, leased, waits, dead, score)
  local n, priority, due = #reply, -1, -1
  if score then priority, due = ready_split(score) end
  reply[n + 1], reply[n + 2], reply[n + 3], reply[n + 4], reply[n + 5] =
    key, ready, leased, waits, dead
  reply[n + 6], reply[n + 7], reply[n + 8] = due, priority, score and is_in_turn(key) or 0
  local blocked = score and key ~= '' and reply[n + 8] == 0 and blocked_by(key)
  if blocked == NOT_BLOCKED then blocked = NOT_SEEN end -- it is not in turn yet
  reply[n + 9] = dead > 0 and BY_DEAD or blocked or NOT_BLOCKED
end

local function add_key(reply, key)
  local first = first_from('[' .. key .. ' R ', '(' .. key .. ' R!')
  local score = first and tonumber(string.match(first, '^%S+ R (%d+) '))
  add_row(reply, key, count_of(key, 'R'), count_of(key, 'L'), count_of(key, 'B'),
    stops() and not seeks_dead() and count_of(key, 'A') or -1, score)
end

local function add_keyless(reply)
  local ready = redis.call('ZCOUNT', KEYS[READY], '-inf', '(' .. integer(KEYED_FROM))
  if ready == 0 then return end
  local score = redis.call('ZRANGE', KEYS[READY], 0, 0, 'WITHSCORES')[2]
  add_row(reply, '', ready, 0, 0, -1, tonumber(score))
end

-- list(): '!' follows the blank, so KEY! is after all elements of a key, and before those of the
-- next.
local function list()
  local reply, from, rows = {}, name == '' and '-' or '[' .. name .. '!', 0
  if name == '' then add_keyless(reply) end
  while rows < limit do
    local element = first_from(from, '+')
    if not element then break end
    local key = string.match(element, '^[%w._:-]+')
    -- Odd: no script has written it.
    local odd = not key or string.sub(element, #key + 1, #key + 1) ~= ' '
    from = odd and '(' .. element or '[' .. key .. '!'
    if not odd then
      add_key(reply, key)
      rows = rows + 1
    end
  end
  return reply
end

local function find()
  local slice = redis.call('HSCAN', KEYS[MSG], cursor, 'MATCH', name .. '+*', 'COUNT', limit)
  local reply, n = {slice[1], now}, 2
  for i = 1, #slice[2], 2 do
    local id = slice[2][i]
    local state, at = place_of(id, now)
    local try = try_of(id) or {tries = 0, due = -1, reason = ''}
    reply[n + 1], reply[n + 2], reply[n + 3], reply[n + 4] = id, state, at, tries_of(try)
    reply[n + 5], reply[n + 6] =
      (state == 'leased' or state == 'dead') and last_due(try) or at, try.reason
    reply[n + 7] = state == 'leased' and try_holder(try) or ''
    n = n + 7
  end
  return reply
end

if what == 'list' then return list() end
return find()
