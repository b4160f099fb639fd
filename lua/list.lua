#!lua flags=no-writes
-- list: the messages of one state, a page at a time, by rank; nothing moves.
-- KEYS    see lib/keys.lua
-- ARGV    now    ms, '' = the server's clock
--         state  delayed (due later), due, ready, leased or dead
--         skip   how many to pass over
--         limit  at most so many, 1-1000
-- Reply   for each message: id, ms (due time, end of the lease, or time of death), tries, last reason
--         ('' where there is none); as many as limit where there may be more
-- Errors  DQTYPE
-- @include lib/keys.lua
-- @include lib/types.lua
-- @include lib/clock.lua
-- @include lib/scores.lua
-- @include lib/try.lua
-- @include lib/due.lua
local given, state, skip, limit = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])

local refused = wrong_type()
if refused then return refused end
local now = clock(given)

-- page(): ids and scores. delayed begins, by rank, where due ends.
local function page()
  if state ~= 'due' and state ~= 'delayed' then
    return redis.call('ZRANGE', key[state], skip, skip + limit - 1, 'WITHSCORES')
  end
  local due = redis.call('ZCOUNT', key.delayed, '-inf', up_to(now))
  if state == 'delayed' then
    return redis.call('ZRANGE', key.delayed, due + skip, due + skip + limit - 1, 'WITHSCORES')
  end
  if skip >= due then return {} end
  return redis.call('ZRANGE', key.delayed, skip, math.min(skip + limit, due) - 1, 'WITHSCORES')
end

-- time_of(score): ready scores hold the priority above the due time.
local function time_of(score)
  if state ~= 'ready' then return math.floor(score) end
  local _, due = ready_split(score)
  return due
end

local found, ids, reply = page(), {}, {}
for i = 1, #found, 2 do ids[#ids + 1] = found[i] end
local entries = #ids > 0 and redis.call('HMGET', key.try, unpack(ids)) or {}
for i, id in ipairs(ids) do
  local try = entries[i] and try_parse(entries[i]) or {tries = 0, reason = ''}
  local r = #reply
  reply[r + 1], reply[r + 2], reply[r + 3], reply[r + 4] = id, time_of(tonumber(found[i * 2])), try.tries, try.reason
end
return reply
