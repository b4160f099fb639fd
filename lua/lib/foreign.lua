-- @include lib/keys.lua
-- @include lib/record.lua
-- @include lib/try.lua
-- @include lib/state.lua
-- @include lib/move.lua
-- @include lib/is_id.lua
-- foreign: a body that no script put: its id is one that put refuses, and no tool can name it.
local FOREIGN = 'foreign id'

local function is_foreign(id)
  return not is_id(id)
end

-- set_aside(id, record, now): any state -> dead, where no take finds it. The body stays as it is.
local function set_aside(id, record, now)
  local try = try_of(id) or {tries = 0, due = now}
  try.header = header_of(record)
  has_died(try)
  redis.call('HSET', KEYS[TRY], id, settled_text(try, FOREIGN))
  move(KEYS[DEAD], {now, id}, {id})
end
