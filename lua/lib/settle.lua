-- @include lib/usual_clock.lua
-- @include lib/receipts.lua
-- @include lib/try.lua
-- @include lib/plan.lua
-- @include lib/marks.lua
-- @include lib/counters.lua
-- @include lib/number.lua
-- settle: leased -> delayed, ready or dead, of the messages with a valid receipt. retry, bury and
-- giveback differ only in where to.

-- usual_plan(plan): may it be carried out, with no key of a foreign type in the way?
local function usual_plan(plan)
  for state, to in pairs(plan) do
    if not is_set(state) or to.expiring and not is_set(KEYS[EXPIRY])
      or to.failing and not is_set(KEYS[FAILING]) then return false end
  end
  return is_set(KEYS[LEASED])
end

-- settle(sure, first, now, armed, decide, counter, reason): the reply, a letter a receipt;
-- lib/usual.lua explains sure and nil. ARGV has receipts from first on. decide(try, id): the state
-- and the score there (unless a put has rescheduled it); it may change try. counter: of those that
-- do not die; nil: none. reason: '' keeps the last one.
local function settle(sure, first, now, armed, decide, counter, reason)
  local ids = receipts(first)
  if not ids then return nil end
  local entries, letters, valid = valid_receipts(ids, first, try_parse)
  if not entries or not sure and valid < #ids then return nil end
  local plan, again, tries, earliest, before = {}, {}, {}, math.huge, 0
  for i = 1, #ids do
    local id, try = ids[i], entries[i]
    local failing_since = try and try.first
    local state, score
    if try then state, score = decide(try, id) end
    if try and try.again then
      again[#again + 1], again[#again + 2] = id, try
    elseif try then
      local died = state == KEYS[DEAD] and peek('ZSCORE', state, id)
      if died and died.err then return nil end
      if died then score, before = whole(died, 0, SPAN - 1) or now, before + 1 end
      plan_add(plan, state, score, id, state ~= KEYS[DEAD] and try.header)
      if try.first then plan_fails(plan, state, try, failing_since) end
      if state == KEYS[DELAYED] and score < earliest then earliest = math.floor(score) end
      if state == KEYS[DEAD] and counter then letters[i] = 'b' end
      tries[#tries + 1], tries[#tries + 2] = id, settled_text(try, reason)
    end
  end
  local dead = plan_count(plan, KEYS[DEAD])
  if #tries + #again == 0 then return table.concat(letters) end

  local wakes = #again > 0 or #tries > 2 * dead or sure and sure.frees_place()
  local marks = not sure and #again == 0 and usual_plan(plan) and may('HSET', KEYS[TRY], '0', '0')
    and may('ZADD', KEYS[LEASED], '0', '0') and may('ZREM', KEYS[LEASED], '0')
    and may('HINCRBY', KEYS[STAT], '0', '0')
    and (not wakes and '' or usual_marks(armed, now, earliest, plan[KEYS[READY]]))
  if not (sure or marks) then return nil end
  local refused = sure and (sure.denial({'HSET', 'ZADD', 'ZCARD', 'ZREM', 'HINCRBY'})
    or #again > 0 and sure.denial({'HDEL'})
    or sure.keys_denial() or wakes and sure.wake_denial())
  if refused then return refused end
  move_plan(plan, tries, KEYS[LEASED], true)
  local others = counter and (#tries + #again) / 2 - dead or 0
  count('dead', dead - before) -- the others died when their leases ended
  count(counter, others)
  if #again > 0 then sure.move_rescheduled(again, now, reason) end
  if wakes then add_marks(marks, now, sure) end
  return table.concat(letters)
end
