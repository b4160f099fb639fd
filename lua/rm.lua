#!lua flags=allow-oom
-- rm: any state -> gone, whoever holds a receipt.
-- KEYS    see lib/keys.lua
-- ARGV    now    ms, '' = the server's clock
--         state  '' = any; otherwise only what is delayed, due (delayed, and due by now), ready, leased or dead; or several of
--                them with commas between
--         then ids; at most 1,000
-- Reply   a letter an id, in order: d gone, l leased and not wanted, s in another state, u no such message
-- Errors  DQTYPE, DQRANGE, DQCLOCK, NOPERM
-- @include lib/keys.lua
-- @include lib/given.lua
-- @include lib/rights.lua
-- @include lib/clock.lua
-- @include lib/state.lua
-- @include lib/drop.lua
-- @include lib/counters.lua
local given, wanted = ARGV[1], ARGV[2]
local FIRST = 3
local IS_STATE = {delayed = true, due = true, ready = true, leased = true, dead = true}

-- choose(): fills chosen with the wanted states; false where one is none.
local chosen = {}
local function choose()
  for state in string.gmatch((wanted or '') .. ',', '([^,]*),') do
    if not IS_STATE[state] then return false end
    chosen[state] = true
  end
  return true
end

local refused = refusal(given, 'state', wanted == '' or choose(), 'ids', items(FIRST, 1))
if refused then return refused end
local now = clock(given)

-- letter_of(id): of a message that is there.
local function letter_of(id)
  if wanted == '' then return 'd' end
  local state, score = state_of(id)
  if state == 'delayed' and score < now + 1 then state = 'due' end
  return state and chosen[state] and 'd' or state == 'leased' and 'l' or 's'
end

local letters, gone, seen = {}, {}, {}
for i = FIRST, #ARGV do
  local id = ARGV[i]
  local letter = (seen[id] or redis.call('HEXISTS', key.msg, id) == 0) and 'u' or letter_of(id)
  letters[#letters + 1] = letter
  if letter == 'd' then gone[#gone + 1], seen[id] = id, true end
end
local denied = #gone > 0 and denial({'ZREM', 'HDEL', 'HINCRBY'})
if denied then return denied end
drop(gone)
count('removed', #gone)
return table.concat(letters)
