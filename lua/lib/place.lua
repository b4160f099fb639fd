-- @include lib/read_scores.lua
-- @include lib/state.lua
-- place_of(id, now): the state as users name it, '' for a body in no state; and its ms: due time,
-- end of the lease, or time of death, -1 for none.
local function place_of(id, now)
  local state, score = state_of(id)
  if not state then return '', -1 end
  if state == KEYS[READY] then
    local _, due = ready_split(score)
    return state_name(state), due
  end
  local at = time_within(math.floor(score))
  return state == KEYS[DELAYED] and at <= now and 'due' or state_name(state), at
end
