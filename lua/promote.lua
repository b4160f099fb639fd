#!lua flags=allow-oom
-- promote: delayed -> ready if due; leased -> ready or dead if the lease expired; delayed, ready ->
-- gone if past the expiry.
-- KEYS    see lib/keys.lua
-- ARGV    now    ms, '' = the server's clock
--         limit  at most so many of each, 1-1000
--         held   the time (ms) of the timer mark that the caller popped (lib/wake.lua); '' = none.
--                It is released if it has passed. '?': the mark may be lost; it is made again
-- Reply   now (us), then how many were promoted, came back from a lease, died; 1 if more may be
--         due, or not all keys have their places yet since a setting was changed; next due time,
--         lease end, or end of what limits takes, if it is known (lib/limits.lua; ms, -1 = none);
--         how many had expired
-- Errors  DQTYPE, DQRANGE, DQCLOCK, NOPERM
-- @include lib/number.lua
-- @include lib/usual_clock.lua
-- @include lib/first_after.lua
local now_arg, limit, held = ARGV[1], whole(ARGV[2], 1, WHOLE), ARGV[3] or ''

-- idle(): the reply where nothing is due or ready and nothing can expire, no lease has expired, and
-- the next move, if there is one, has its mark: most queues are in this state. Else nil.
local function idle()
  local now, _, us, armed = usual_clock(now_arg)
  if not (now and limit) or held ~= '' or peek('ZCARD', KEYS[READY]) ~= 0
    or peek('ZCARD', KEYS[EXPIRY]) ~= 0 then return nil end
  local due, lease = first_after(KEYS[DELAYED], now), first_after(KEYS[LEASED], now)
  local at = due and lease and math.min(due, lease)
  if not at or type(peek('HEXISTS', KEYS[MSG], '')) ~= 'number' then return nil end
  if at >= HELD then return {us, 0, 0, 0, 0, -1, 0} end
  return armed and armed > now and armed <= at and {us, 0, 0, 0, 0, at, 0} or nil
end

local reply = idle()
if reply then return reply end
-- @include lib/arguments.lua
-- @include lib/rights.lua
-- @include lib/clock.lua
-- @include lib/due.lua
-- @include lib/expire.lua
-- @include lib/wake.lua
-- @include lib/note_begun.lua
local refused = refusal(now_arg, 'limit', limit)
if refused then return refused end
local now, _, us = clock(now_arg)
limit = math.min(limit, ITEMS)
local denied = denial({
  'ZRANGE', 'HMGET', 'ZSCORE', 'ZCOUNT', 'ZADD', 'ZREM', 'ZREMRANGEBYRANK', 'HSET', 'HDEL',
  'HINCRBY', 'HEXISTS', 'ZCARD', 'HGET',
}) or keys_denial() or limited_by('h') and denial({'HGETALL'})
if denied then return denied end
end_pause(now)
end_key_pauses(now)
local back, died = reclaim(now, limit)
local expired, may_be_more = expire(now, limit)
local promoted = promote_due(now, limit)
if with_keys then
  -- @include lib/mend_keys.lua
  mend_keys()
  walk_dead()
  walk_keys()
  may_be_more = may_be_more or walks()
end
may_be_more = may_be_more or key_pause_end() <= now
mend_begun(us) -- else, after the clock was set back, the time to wait for would be now, without end
local more = (back + died >= limit or promoted >= limit or may_be_more) and 1 or 0
local _, at = wake(now, to_release(held, now, false))
return {us, promoted, back, died, more, at, #expired}
