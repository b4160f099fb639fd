#!lua flags=allow-oom
-- promote: delayed -> ready if due; leased -> ready or dead if the lease expired; delayed, ready -> gone if past the expiry.
-- KEYS    see lib/keys.lua
-- ARGV    now    ms, '' = the server's clock
--         limit  at most so many of each, 1-1000
--         held   the time of the timer (ms) that the caller holds, and releases if it has passed (lib/wake.lua); '' = none;
--                '?' = the mark may be lost: it is made again
-- Reply   now (us), then how many were promoted, came back from a lease, died; 1 if more may be due; next due time or lease
--         end (ms, -1 = none); how many had expired
-- Errors  DQTYPE, DQRANGE, DQCLOCK, NOPERM
-- @include lib/promote_plain.lua
local usual = promote_plain(unpack(ARGV, 1, 3))
if usual then return usual end

-- @include lib/keys.lua
-- @include lib/arguments.lua
-- @include lib/rights.lua
-- @include lib/clock.lua
-- @include lib/due.lua
-- @include lib/expire.lua
-- @include lib/wake.lua
local now_arg, limit = ARGV[1], whole(ARGV[2], 1, WHOLE)

local refused = refusal(now_arg, 'limit', limit)
if refused then return refused end
local now, _, us = clock(now_arg)
limit = math.min(limit, ITEMS)
local denied = denial({
  'ZRANGE', 'HMGET', 'ZSCORE', 'ZCOUNT', 'ZADD', 'ZREM', 'ZREMRANGEBYRANK', 'HSET', 'HDEL', 'HINCRBY', 'HEXISTS', 'ZCARD', 'HGET',
})
if denied then return denied end
local back, died = reclaim(now, limit)
local expired, may_be_more = expire(now, limit)
local promoted = promote_due(now, limit)
local more = (back + died >= limit or promoted >= limit or may_be_more) and 1 or 0
local _, at = wake(now, to_release(ARGV[3], now, false))
return {us, promoted, back, died, more, at, #expired}
