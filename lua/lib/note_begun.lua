-- @include lib/begun.lua
-- note_begun: what a take writes into the index of the deliveries that have begun.

local function begun_put(us, before, count)
  redis.call('ZADD', KEYS[BEGUN], integer(us), string.format('%016.0f ', before) .. integer(count))
end

-- mend_begun(us, span): if the clock was set back, what began later than now counts as begun now: so nobody gets more, and nobody waits
-- for longer than the span (us). An index that is damaged is made anew.
local function mend_begun(us, span)
  if not begun_after(us - span) then redis.call('ZREMRANGEBYRANK', KEYS[BEGUN], 0, -1) end
  local n, before = begun_after(us)
  if n == 0 then return end
  if not n then return redis.call('ZREMRANGEBYRANK', KEYS[BEGUN], 0, -1) end
  begun_put(us, before, n)
  local later = redis.call('ZCOUNT', KEYS[BEGUN], '(' .. integer(us), '+inf')
  if later > 0 then redis.call('ZREMRANGEBYRANK', KEYS[BEGUN], -later, -1) end
end

-- note_begun(us, span, n): n deliveries begin; those of before the span (us) are forgotten.
local function note_begun(us, span, n)
  begun_put(us, begun_before() or 0, n)
  local past = redis.call('ZCOUNT', KEYS[BEGUN], '-inf', integer(us - span))
  if past > 0 then redis.call('ZREMRANGEBYRANK', KEYS[BEGUN], 0, past - 1) end
end
