-- @include lib/digits.lua
-- @include lib/move.lua
-- @include lib/try.lua
-- plan: moves of many messages at once. A plan holds, by the state that they go to, `scores`
-- (score, id, score, id...), `ids`, and `expiring` (id, header, id, header...; nil: none) for the
-- index of expiries, and `failing` for that of failing messages: what enters it (FIRST, id, FIRST,
-- id...; nil: none); of the dead, the ids that leave it.

-- plan_add(plan, state, score, id, header): adds a message to the plan. With the header if it goes
-- to delayed or ready: its expiry is indexed.
local function plan_add(plan, state, score, id, header)
  local to = plan[state]
  if not to then
    to = {scores = {}, ids = {}}
    plan[state] = to
  end
  local n = #to.ids + 1
  to.scores[2 * n - 1], to.scores[2 * n], to.ids[n] =
    score % 1 == 0 and integer(score) or score, id, id
  if header and string.find(header, 'x=', 1, true) then
    to.expiring = to.expiring or {}
    to.expiring[#to.expiring + 1], to.expiring[#to.expiring + 2] = id, header
  end
end

-- plan_fails(plan, state, try, first): the message that was just added, whose entry had that FIRST
-- before (nil: none).
local function plan_fails(plan, state, try, first)
  local to = plan[state]
  local id, failing = to.ids[#to.ids], to.failing or {}
  if state == KEYS[DEAD] then
    if first then failing[#failing + 1] = id end
    has_died(try)
  elseif try.first ~= first then
    failing[#failing + 1], failing[#failing + 2] = integer(try.first), id
  end
  to.failing = #failing > 0 and failing or nil
end

-- plan_count(plan, state): the number of messages that go to that state.
local function plan_count(plan, state)
  return plan[state] and #plan[state].ids or 0
end

-- move_plan(plan, entries, from): writes the try entries (id, text, id, text...), then moves the
-- messages of the plan. Entries of what was settled or released have NO_TOKEN as the token: if an
-- error ends the script in between, no receipt is valid. from, begun: see move.
local function move_plan(plan, entries, from, begun)
  if #entries > 0 then redis.call('HSET', KEYS[TRY], unpack(entries)) end
  for state, to in pairs(plan) do
    move(state, to.scores, to.ids, from, nil, nil, to.failing or {}, begun)
    if to.failing and state ~= KEYS[DEAD] then
      redis.call('ZADD', KEYS[FAILING], unpack(to.failing))
    end
    if to.expiring then
      -- @include lib/expiry.lua
      local expiries = {}
      for i = 1, #to.expiring, 2 do note_expiry(expiries, to.expiring[i], to.expiring[i + 1]) end
      index_expiries(expiries)
    end
  end
  if plan[KEYS[DEAD]] then
    -- @include lib/hint.lua
    local ended = {}
    for i = 1, #entries, 2 do
      -- Perhaps dead.
      if string.find(entries[i + 1], ' k=1', 1, true) then ended[#ended + 1] = entries[i] end
    end
    hint(ended, 1)
  end
end
