-- @include lib/keys.lua
-- @include lib/clock.lua
-- @include lib/scores.lua
-- @include lib/record.lua
-- @include lib/try.lua
-- @include lib/rescheduled.lua
-- @include lib/counters.lua
-- @include lib/expiry.lua
-- @include lib/last_first.lua
-- due: moves of messages whose due time or lease end has passed.

-- due_now(now, limit): the ids of due messages, and their scores. The first FEW say whether each message has a score of its own:
-- then both are read at once (see head_scores).
local function due_now(now, limit)
  local first, upper = redis.call('ZRANGE', key.delayed, 0, FEW - 1, 'WITHSCORES'), up_to(now)
  if first[2] == first[FEW * 2] then
    local ids = first[2] and redis.call('ZRANGE', key.delayed, '-inf', upper, 'BYSCORE', 'LIMIT', 0, limit) or {}
    return ids, head_scores('delayed', ids, #ids, first[2])
  end
  local both = redis.call('ZRANGE', key.delayed, '-inf', upper, 'BYSCORE', 'LIMIT', 0, limit, 'WITHSCORES')
  local ids, scores = {}, {}
  for i = 1, #both / 2 do ids[i], scores[i] = both[i * 2 - 1], both[i * 2] + 0 end
  return ids, scores
end

-- promote_due(now, limit): delayed -> ready if due. Returns how many.
local function promote_due(now, limit)
  local ids, scores = due_now(now, limit)
  local n = #ids
  if n == 0 then return 0 end
  local add, base, score, last = {}, ready_score(PRIORITY, 0), nil, nil
  for i = 1, n do
    if scores[i] ~= last then
      last = scores[i]
      score = integer(last % 1 == 0 and base + last or ready_score(delayed_split(last)))
    end
    add[i * 2 - 1], add[i * 2] = score, ids[i]
  end
  redis.call('ZADD', key.ready, unpack(last_first(add, n)))
  redis.call('ZREMRANGEBYRANK', key.delayed, 0, n - 1) -- a range by score from -inf on is the first ranks
  count('promoted', n)
  return n
end

-- end_leases(ids, now, reason, token): leased -> ready, or -> dead if the tries are used up; or where a put has rescheduled them
-- (lib/rescheduled.lua). token: of their try entries from now on; nil = as it is. Three values: how many were moved but not to
-- dead, the dead (time, id, time, id...), and how many a put had rescheduled. The others are still in leased, too: the caller
-- removes them.
local function end_leases(ids, now, reason, token)
  local entries = redis.call('HMGET', key.try, unpack(ids))
  local ready, dead, tries, expiries, rescheduled = {}, {}, {}, {}, rescheduled_list()
  for i, id in ipairs(ids) do
    local try = entries[i] and try_parse(entries[i]) or {tries = 0, token = SETTLED, due = now, header = ''}
    if not add_rescheduled(rescheduled, id, try, now) then
      if try.tries >= number_field(try.header, 'r', TRIES) then
        dead[#dead + 1], dead[#dead + 2] = now, id
      else
        ready[#ready + 1], ready[#ready + 2] = ready_score(number_field(try.header, 'p', PRIORITY), now), id
        note_expiry(expiries, id, try.header)
      end
      try.token, try.reason = token or try.token, reason
      tries[#tries + 1], tries[#tries + 2] = id, entry_text(try)
    end
  end
  local back = #ready / 2 + move_rescheduled(rescheduled)
  if #ready > 0 then redis.call('ZADD', key.ready, unpack(ready)) end
  if #dead > 0 then redis.call('ZADD', key.dead, unpack(dead)) end
  if #tries > 0 then redis.call('HSET', key.try, unpack(tries)) end
  index_expiries(expiries)
  count('dead', #dead / 2)
  return back, dead, #rescheduled.ids
end

-- reclaim(now, limit): end_leases for expired leases. The token stays: a late ack counts until the message is taken again.
-- Two counts: those that end_leases moved, but not to dead; and the dead.
local function reclaim(now, limit)
  local ids = redis.call('ZRANGE', key.leased, '-inf', up_to(now), 'BYSCORE', 'LIMIT', 0, limit)
  if #ids == 0 then return 0, 0 end
  local back, dead, rescheduled = end_leases(ids, now, 'lease ran out')
  if #ids > rescheduled then redis.call('ZREMRANGEBYRANK', key.leased, 0, #ids - rescheduled - 1) end
  count('expired_leases', #ids)
  return back, #dead / 2
end
