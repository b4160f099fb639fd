-- @include lib/turn.lua
-- heads: the next messages of a pair, and whether an interrupted script left one of them.

-- Elements that one left; and is each message looked up before the next one is picked?
local stale, wary = {}, false

-- fetch(p, n): the next n ready messages of a pair, as elements; of those without a key: id, score,
-- id, score...
local function fetch(p, n)
  if p.room.only then
    p.heads, p.ended = p.skip == 0 and {p.room.only} or {}, true
  elseif p.key == '' then
    p.heads = redis.call('ZRANGE', KEYS[READY], integer(p.class * SPAN),
      '(' .. integer((p.class + 1) * SPAN), 'BYSCORE', 'LIMIT', p.skip, n, 'WITHSCORES')
    p.ended = #p.heads < 2 * n
  else
    p.heads = ready_of(p.key, p.class, p.skip, n)
    p.ended = #p.heads < n
  end
  p.skip, p.at = p.skip + n, 1
end

-- check(ids, sorts, elements): the elements of ready messages, with their SORT as a number; false:
-- it has no key. Those that an interrupted script left, which do not agree with ready, become
-- stale. true: there are none.
local function check(ids, sorts, elements)
  local before, scores = #stale, #ids > 0 and redis.call('ZMSCORE', KEYS[READY], unpack(ids))
  for i = 1, #ids do
    if elements[i] and (not scores[i] or scores[i] % KEYED_FROM ~= sorts[i]) then
      stale[#stale + 1] = elements[i]
    end
  end
  return #stale == before
end

-- next_of(p, n): the pair's next message, its score (with a key: its SORT) and, if it has a key,
-- its element; nil: it has no more that may be leased. n: so many are read at once. Stale elements
-- are passed over, ITEMS of them at most in a call.
local function next_of(p, n)
  while p.room.free > 0 and #stale < ITEMS do
    if p.at > #p.heads then
      if p.ended then return nil end
      fetch(p, n)
    end
    local head = p.heads[p.at]
    if not head then return nil end
    p.at = p.at + (p.key == '' and 2 or 1)
    if p.key == '' then return head, tonumber(p.heads[p.at - 1]) end
    local id = p.key .. '+' .. string.sub(head, #p.key + 21)
    local sort = tonumber(string.sub(head, #p.key + 4, #p.key + 19))
    if not wary or check({id}, {sort}, {head}) then
      p.room.free = p.room.free - 1
      return id, sort, head
    end
  end
end
