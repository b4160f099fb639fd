-- @include lib/keys.lua
-- @include lib/scores.lua
-- @include lib/record.lua
-- @include lib/state.lua
-- @include lib/move.lua
-- @include lib/expiry.lua
-- audit_repair: counts for an audit, and its repair of a message that no take finds, or that nobody can settle.

local function make_ready(id, header, now)
  move(KEYS[READY], {ready_score(number_field(header, 'p', PRIORITY), now), id}, {id}, KEYS[LEASED])
  local expiries = {}
  note_expiry(expiries, id, header)
  index_expiries(expiries)
end

-- indexed_in_all(): how many there are in the indexes of all states.
local function indexed_in_all()
  local n = 0
  for _, state in ipairs(states()) do n = n + redis.call('ZCARD', state) end
  return n
end
