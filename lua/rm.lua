#!lua flags=allow-oom
-- rm: any state -> gone, whoever holds a receipt.
-- KEYS    see lib/keys.lua
-- ARGV    now    ms, '' = the server's clock
--         state  '' = any; otherwise only what is delayed, due (delayed, and due by now), ready, leased or dead
--         then ids; at most 1,000
-- Reply   a letter an id, in order: d gone, s in another state, u no such message
-- Errors  DQTYPE, DQRANGE
-- @include lib/keys.lua
-- @include lib/given.lua
-- @include lib/clock.lua
-- @include lib/state.lua
-- @include lib/drop.lua
local given, wanted = ARGV[1], ARGV[2]
local FIRST = 3
local STATES_WANTED = {[''] = true, delayed = true, due = true, ready = true, leased = true, dead = true}

local refused = refusal(given, 'state', STATES_WANTED[wanted], 'ids', items(FIRST, 1))
if refused then return refused end
local now = clock(given)

local function is_wanted(id)
  if wanted == '' then return true end
  local state, score = state_of(id)
  if state == 'delayed' and score < now + 1 then state = 'due' end
  return state == wanted
end

local letters, gone, seen = {}, {}, {}
for i = FIRST, #ARGV do
  local id = ARGV[i]
  if seen[id] or redis.call('HEXISTS', key.msg, id) == 0 then
    letters[#letters + 1] = 'u'
  elseif is_wanted(id) then
    letters[#letters + 1], gone[#gone + 1], seen[id] = 'd', id, true
  else
    letters[#letters + 1] = 's'
  end
end
drop(gone)
count('removed', #gone)
return table.concat(letters)
