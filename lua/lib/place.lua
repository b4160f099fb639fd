-- @include lib/scores.lua
-- @include lib/state.lua
-- place_of(id, now): the state as users name it, '' for a body in no state; and its ms: due time, end of the lease, or time of
-- death, -1 for none.
local function place_of(id, now)
  local state, score = state_of(id)
  if not state then return '', -1 end
  if state == 'ready' then
    local _, due = ready_split(score)
    return state, due
  end
  local at = math.floor(score)
  return state == 'delayed' and at <= now and 'due' or state, at
end
