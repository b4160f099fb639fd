#!lua flags=allow-oom
-- gc: removes dead messages after the keep time, expired delayed and ready messages, and reserved
-- ids whose time has passed. One that is dead and in another state, too, stays there.
-- KEYS    see lib/keys.lua
-- ARGV    now    ms, '' = the server's clock
--         keep   ms since death
--         limit  at most so many of each, 1-1000
--         dry    '1': remove nothing
--         skip   how many ids earlier calls returned; 0 unless dry
-- Reply   the ids of the dead, then of the expired; as many as limit if there may be more. Then,
--         unless dry, the number 1 if there may be more expired messages or reserved ids to remove,
--         or 2 if no message is left: forget may remove the queue
-- Errors  DQTYPE, DQRANGE, DQCLOCK, NOPERM
-- @include lib/number.lua
-- @include lib/usual_clock.lua
-- @include lib/first_after.lua
local now_arg, dry = ARGV[1], ARGV[4]
local keep, limit = whole(ARGV[2], 0, SPAN), whole(ARGV[3], 1, ITEMS)
local skip = whole(ARGV[5], 0, WHOLE)

-- idle(): the reply where there are messages, none has been dead for long enough, none can expire,
-- and the time of no reserved id is over: most queues are in this state. Else nil.
local function idle()
  local now = usual_clock(now_arg)
  if not (now and keep and limit and skip) or not first_after(KEYS[DEAD], now - keep)
    or not first_after(KEYS[SETTLED], now)
    or peek('ZCARD', KEYS[EXPIRY]) ~= 0 then return nil end
  local left = peek('HLEN', KEYS[MSG])
  return type(left) == 'number' and left > 0 and {} or nil
end

local reply = idle()
if reply then return reply end
-- @include lib/arguments.lua
-- @include lib/rights.lua
-- @include lib/clock.lua
-- @include lib/state.lua
-- @include lib/drop.lua
-- @include lib/counters.lua
-- @include lib/expire.lua
-- @include lib/reserved.lua
-- @include lib/outcome.lua
-- @include lib/wake.lua
-- @include lib/forget_dead.lua
local refused = refusal(now_arg, 'keep', keep, 'limit', limit, 'skip', skip)
if refused then return refused end
local now = clock(now_arg)

-- would_go(): the ids, by rank, which Redis finds at once. By score it would walk all that are
-- passed over, in each call.
local function would_go()
  local dead = redis.call('ZCOUNT', KEYS[DEAD], '-inf', integer(now - keep))
  local expired = key_exists('expiry')
    and redis.call('ZCOUNT', KEYS[EXPIRY], '-inf', integer(now)) or 0
  local ids = skip < dead
    and redis.call('ZRANGE', KEYS[DEAD], skip, math.min(skip + limit, dead) - 1) or {}
  local from = math.max(skip - dead, 0)
  local more = #ids < limit and from < expired
    and redis.call('ZRANGE', KEYS[EXPIRY], from, math.min(from + limit - #ids, expired) - 1) or {}
  for i = 1, #more do ids[#ids + 1] = more[i] end
  return ids
end

if dry == '1' then return would_go() end
local ids, others = {}, {} -- others: one that is in another state, too, is not dead
for _, id in ipairs(redis.call('ZRANGE', KEYS[DEAD], '-inf', integer(now - keep), 'BYSCORE',
    'LIMIT', 0, limit)) do
  local list = state_of(id) == KEYS[DEAD] and ids or others
  list[#list + 1] = id
end
local denied = denial({'ZCARD', 'ZREM', 'HDEL', 'HINCRBY', 'HLEN'})
  or key_exists('expiry') and denial({'HMGET', 'ZSCORE'})
  or gone_denial() or keys_denial() or with_keys and wake_denial()
if denied then return denied end
if #others > 0 then redis.call('ZREM', KEYS[DEAD], unpack(others)) end
if with_keys then forget_dead(others) end
keep_gone(ids, now)
drop(ids, KEYS[DEAD])
count('purged', #ids)
local expired, may_be_more = expire(now, limit)
local frees = limited_by('s') and #expired > 0 or limited_by('d') and #ids + #others > 0
if with_keys and frees then wake(now) end -- what blocked its key
for i = 1, #expired do ids[#ids + 1] = expired[i] end
local freed = free_reserved(now, limit)
if freed == limit or may_be_more or #others > 0 then
  ids[#ids + 1] = 1
elseif redis.call('HLEN', KEYS[MSG]) == 0 then
  ids[#ids + 1] = 2
end
return ids
