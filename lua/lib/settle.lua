-- @include lib/keys.lua
-- @include lib/try.lua
-- @include lib/state.lua
-- @include lib/expiry.lua
-- settle: moves of many messages at once. A plan holds, by the state that they go to, `scores` (score, id, score, id...), `ids`,
-- and `expiries` for the index of expiries.

-- plan_add(plan, state, score, id, header): adds a message to the plan. With the header if it goes to delayed or ready: its
-- expiry is indexed.
local function plan_add(plan, state, score, id, header)
  local to = plan[state]
  if not to then
    to = {scores = {}, ids = {}, expiries = {}}
    plan[state] = to
  end
  local n = #to.ids + 1
  to.scores[2 * n - 1], to.scores[2 * n], to.ids[n] = score, id, id
  if header then note_expiry(to.expiries, id, header) end
end

-- plan_count(plan, state): the number of messages that go to that state.
local function plan_count(plan, state)
  return plan[state] and #plan[state].ids or 0
end

-- settle(plan, entries): writes the try entries (id, text, id, text...), then moves the messages of the plan. The entries have
-- SETTLED as the token: if an error ends the script in between, no receipt is valid.
local function settle(plan, entries)
  if #entries > 0 then redis.call('HSET', key.try, unpack(entries)) end
  for state, to in pairs(plan) do
    move(state, to.scores, to.ids)
    index_expiries(to.expiries)
  end
end
