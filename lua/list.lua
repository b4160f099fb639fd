#!lua flags=no-writes
-- list: the messages of one state, a page at a time; nothing moves.
-- KEYS    see lib/keys.lua
-- ARGV    now    ms, '' = the server's clock
--         state  delayed (due later), due, ready, leased, dead; or expired: delayed, due and ready
--                messages past their expiry
--         skip   how many to pass over
--         limit  at most so many, 1-1000
--         after  optional: begin after that position, the last text of the page before ('' = at the
--                start). Unlike a rank,
--                it stays right while messages before it are removed
-- Reply   for each message: id, ms (due time, end of the lease, time of death, or expiry), tries
--         (as take), due time (of the leased and the dead: of the last delivery, or -1; -1 of the
--         expired), last reason ('' = none), holder (of the leased; '' = not known); as many as
--         limit if there may be more; with after, then the position of the last one
-- Errors  DQTYPE, DQRANGE
-- @include lib/parts.lua
-- @include lib/arguments.lua
-- @include lib/clock.lua
-- @include lib/read_scores.lua
-- @include lib/try.lua
local now_arg, state, after = ARGV[1], ARGV[2], ARGV[5]
local skip, limit = whole(ARGV[3], 0, WHOLE), whole(ARGV[4], 1, ITEMS)
local LISTED = {delayed = true, due = true, ready = true, leased = true, dead = true,
  expired = true}
local index = state == 'expired' and KEYS[EXPIRY] or key[state] or KEYS[DELAYED]

local refused = refusal_any_time(now_arg, 'state', LISTED[state], 'skip', skip, 'limit', limit)
if refused then return refused end
local now = clock(now_arg)

-- precedes(a, b): by bytes, as Redis orders members of equal score. Lua's < depends on the server's
-- locale.
local function precedes(a, b)
  for i = 1, math.min(#a, #b) do
    local x, y = string.byte(a, i), string.byte(b, i)
    if x ~= y then return x < y end
  end
  return #a < #b
end

-- rank_after(position): the rank of the first entry behind it, by halving: the entry at that
-- position may be gone.
local function rank_after(position)
  local score, id = string.match(position, '^(%S+) (.*)$')
  score = tonumber(score)
  if not score then return 0 end
  local low, high = 0, redis.call('ZCARD', index)
  while low < high do
    local middle = math.floor((low + high) / 2)
    local there = redis.call('ZRANGE', index, middle, middle, 'WITHSCORES')
    local at = tonumber(there[2])
    if at > score or (at == score and precedes(id, there[1])) then
      high = middle
    else
      low = middle + 1
    end
  end
  return low
end

-- page(): ids and scores. By rank, the due messages come first in delayed.
local function page()
  local first, last = 0, math.huge
  if state == 'due' or state == 'delayed' then
    local due = redis.call('ZCOUNT', index, '-inf', up_to(now))
    if state == 'due' then last = due else first = due end
  elseif state == 'expired' then
    last = redis.call('ZCOUNT', index, '-inf', up_to(now))
  end
  if after and after ~= '' then first = math.max(first, rank_after(after)) end
  first = first + skip
  last = math.min(first + limit, last)
  return first < last and redis.call('ZRANGE', index, first, last - 1, 'WITHSCORES') or {}
end

-- time_of(score): a score in ready has the priority above the due time.
local function time_of(score)
  if state ~= 'ready' then return time_within(math.floor(score)) end
  local _, due = ready_split(score)
  return due
end

local found, ids, reply = page(), {}, {}
for i = 1, #found, 2 do ids[#ids + 1] = found[i] end
local entries = #ids > 0 and redis.call('HMGET', KEYS[TRY], unpack(ids)) or {}
for i, id in ipairs(ids) do
  local try = entries[i] and try_parse(entries[i]) or {tries = 0, due = -1, reason = ''}
  local r, at = #reply, time_of(tonumber(found[i * 2]))
  local due = state == 'expired' and -1
    or (state == 'leased' or state == 'dead') and last_due(try) or at
  reply[r + 1], reply[r + 2], reply[r + 3], reply[r + 4], reply[r + 5] =
    id, at, tries_of(try), due, try.reason
  reply[r + 6] = state == 'leased' and try_holder(try) or ''
end
if after then reply[#reply + 1] = #ids > 0 and found[#found] .. ' ' .. ids[#ids] or after end
return reply
