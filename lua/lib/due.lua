-- @include lib/expiry.lua
-- @include lib/keys.lua
-- @include lib/clock.lua
-- @include lib/read_scores.lua
-- @include lib/record.lua
-- @include lib/try.lua
-- @include lib/rescheduled.lua
-- @include lib/counters.lua
-- @include lib/last_first.lua
-- due: moves of messages whose due time or lease end has passed.

-- due_now(now, limit): the ids of due messages, and their scores. The first FEW say whether each
-- message has a score of its own: then both are read at once (see head_scores).
local function due_now(now, limit)
  local first, upper = redis.call('ZRANGE', KEYS[DELAYED], 0, FEW - 1, 'WITHSCORES'), up_to(now)
  if first[2] == first[FEW * 2] then
    local ids = first[2]
      and redis.call('ZRANGE', KEYS[DELAYED], '-inf', upper, 'BYSCORE', 'LIMIT', 0, limit) or {}
    return ids, head_scores(KEYS[DELAYED], ids, #ids, first[2])
  end
  local both = redis.call('ZRANGE', KEYS[DELAYED], '-inf', upper, 'BYSCORE',
    'LIMIT', 0, limit, 'WITHSCORES')
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
      score = integer(last % 1 == 0 and last >= 0 and base + last
        or ready_score(delayed_split(last)))
    end
    add[i * 2 - 1], add[i * 2] = score, ids[i]
  end
  -- A range by score from -inf on is the first ranks.
  move(KEYS[READY], last_first(add, n), ids, KEYS[DELAYED], nil, n)
  count('promoted', n)
  return n
end

-- end_leases(ids, now, reason, token): leased -> ready, or -> dead if the tries are used up; or
-- where a put has rescheduled them (lib/rescheduled.lua). token: of their try entries from now on;
-- nil = as it is. Two values: how many were moved but not to dead, and the ids of the dead.
local function end_leases(ids, now, reason, token)
  local entries = redis.call('HMGET', KEYS[TRY], unpack(ids))
  local plan, tries, again = {}, {}, {}
  for i, id in ipairs(ids) do
    local try = entries[i] and try_parse(entries[i])
      or {tries = 0, token = NO_TOKEN, due = now, header = ''}
    local first, state = try.first, KEYS[DEAD]
    fails(try)
    if try.again then
      again[#again + 1], again[#again + 2] = id, try
    else
      if try.tries >= number_field(try.header, 'r', TRIES) then
        plan_add(plan, state, now, id)
      else
        state = KEYS[READY]
        plan_add(plan, state, ready_score(number_field(try.header, 'p', PRIORITY), now), id,
          try.header)
      end
      plan_fails(plan, state, try, first)
      if token then try.token, try.at_holder = token, nil end
      try.reason = reason
      tries[#tries + 1], tries[#tries + 2] = id, entry_text(try)
    end
  end
  if #again > 0 then move_rescheduled(again, now, reason) end
  move_plan(plan, tries, KEYS[LEASED], true)
  count('dead', plan_count(plan, KEYS[DEAD]))
  return plan_count(plan, KEYS[READY]) + #again / 2, plan[KEYS[DEAD]] and plan[KEYS[DEAD]].ids or {}
end

-- reclaim(now, limit): end_leases for expired leases. The token stays: a late ack counts until the
-- message is taken again.
-- Two counts: those that end_leases moved, but not to dead; and the dead.
local function reclaim(now, limit)
  local ids = redis.call('ZRANGE', KEYS[LEASED], '-inf', up_to(now), 'BYSCORE', 'LIMIT', 0, limit)
  if #ids == 0 then return 0, 0 end
  local back, dead = end_leases(ids, now, 'lease ran out')
  count('expired_leases', #ids)
  return back, #dead
end
