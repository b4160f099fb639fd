-- @include lib/keys.lua
-- @include lib/digits.lua
-- @include lib/number.lua
-- begun: the deliveries that have begun, for a rate: a queue without one does not note them. One
-- element for each take that leased something, its score the time (us), its member BEFORE COUNT: so
-- many deliveries had begun before, and so many began then. So how many began in any span is one
-- subtraction, however many there are. BEFORE has 16 digits: elements of one time keep their order.

-- begun_parse(member): BEFORE and COUNT; nil if it is damaged, or there is none.
local function begun_parse(member)
  local before, count = string.match(member or '', '^(%d+) (%d+)$')
  before, count = whole(before, 0, WHOLE), whole(count, 1, WHOLE)
  if before and count and before + count <= WHOLE then return before, count end
end

-- begun_before(): how many have begun in all, as the last element says; nil if it is damaged.
local function begun_before()
  local last = redis.call('ZRANGE', KEYS[BEGUN], -1, -1)[1]
  local before, count = begun_parse(last)
  return not last and 0 or before and before + count
end

-- begun_after(us): how many began after that time, BEFORE of the first of them, and its time (us).
-- 0: none. nil: the index is damaged.
local function begun_after(us)
  local first = redis.call('ZRANGE', KEYS[BEGUN], '(' .. integer(us), '+inf', 'BYSCORE',
    'LIMIT', 0, 1, 'WITHSCORES')
  if not first[1] then return 0 end
  local before, all = begun_parse(first[1]), begun_before()
  if before and all and all > before then return all - before, before, tonumber(first[2]) end
end
