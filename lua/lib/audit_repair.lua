-- @include lib/keys.lua
-- @include lib/scores.lua
-- @include lib/record.lua
-- @include lib/state.lua
-- @include lib/expiry.lua
-- audit_repair: counts for an audit, and its repair of a message that no take finds, or that nobody can settle.

local function make_ready(id, header, now)
  redis.call('ZADD', key.ready, ready_score(number_field(header, 'p', PRIORITY), now), id)
  redis.call('ZREM', key.leased, id)
  local expiries = {}
  note_expiry(expiries, id, header)
  index_expiries(expiries)
end

-- indexed(): how many there are in the indexes of all states.
local function indexed()
  local n = 0
  for _, state in ipairs(STATES) do n = n + redis.call('ZCARD', key[state]) end
  return n
end
