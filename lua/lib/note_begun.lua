-- @include lib/begun.lua
-- @include lib/limits.lua
-- note_begun: what is written into the index of the deliveries that have begun, if the queue has a
-- rate.

local function begun_put(at, before, count)
  redis.call('ZADD', KEYS[BEGUN], integer(at), string.format('%016.0f ', before) .. integer(count))
end

-- mend_begun(us): if the clock was set back, what began later than now counts as begun now: so
-- nobody gets more, and nobody waits for longer than the span of the rate. An index that is damaged
-- is made anew.
local function mend_begun(us)
  local _, span = setting_rate()
  if not span then return end
  if not begun_after(us - span) then redis.call('ZREMRANGEBYRANK', KEYS[BEGUN], 0, -1) end
  local at = begun_at(us)
  local n, before = begun_after(at)
  if n == 0 then return end
  if not n then return redis.call('ZREMRANGEBYRANK', KEYS[BEGUN], 0, -1) end
  begun_put(at, before, n)
  local later = redis.call('ZCOUNT', KEYS[BEGUN], '(' .. integer(at), '+inf')
  if later > 0 then redis.call('ZREMRANGEBYRANK', KEYS[BEGUN], -later, -1) end
end

-- note_begun(us, n): n deliveries begin; those of before the span of the rate are forgotten.
local function note_begun(us, n)
  local _, span = setting_rate()
  if not span or n == 0 then return end
  local at, before = begun_at(us), begun_before() or 0
  local last = at > us and redis.call('ZRANGE', KEYS[BEGUN], integer(at), '+inf', 'BYSCORE',
    'LIMIT', 0, 1)[1]
  local since, count = begun_parse(last or nil)
  begun_put(at, since or before, (count or 0) + n)
  if since then redis.call('ZREM', KEYS[BEGUN], last) end
  local past = redis.call('ZCOUNT', KEYS[BEGUN], '-inf', integer(us - span))
  if past > 0 then redis.call('ZREMRANGEBYRANK', KEYS[BEGUN], 0, past - 1) end
end
