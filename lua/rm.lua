#!lua flags=allow-oom
-- rm: any state -> gone, even leased.
-- KEYS    see lib/keys.lua
-- ARGV    now    ms, '' = the server's clock
--         state  '' = any; or only from these states, with commas between: delayed, due (the due
--                part of delayed), ready, leased, dead
--         then ids; at most 1,000
-- Reply   a letter an id, in order: d removed, or, with '', no longer reserved; u no such message;
--         or not removed, because of its state: y delayed, e due, r ready, l leased, b dead, s in
--         no state
-- Errors  DQTYPE, DQRANGE, DQCLOCK, NOPERM
-- @include lib/keys.lua
-- @include lib/arguments.lua
-- @include lib/rights.lua
-- @include lib/clock.lua
-- @include lib/state.lua
-- @include lib/drop.lua
-- @include lib/counters.lua
-- @include lib/wake.lua
-- @include lib/reserved.lua
-- @include lib/outcome.lua
local now_arg, wanted = ARGV[1], ARGV[2]
local FIRST = 3
local STAYS = {delayed = 'y', due = 'e', ready = 'r', leased = 'l', dead = 'b'}

-- choose(): fills chosen with the wanted states; false if one is no state.
local chosen = {}
local function choose()
  for state in string.gmatch((wanted or '') .. ',', '([^,]*),') do
    if not STAYS[state] then return false end
    chosen[state] = true
  end
  return true
end

local refused = refusal(now_arg, 'state', wanted == '' or choose(), 'ids', items(FIRST, 1))
if refused then return refused end
local now = clock(now_arg)

-- letter_of(id): the letter of the reply for a message that exists.
local function letter_of(id)
  if wanted == '' then return 'd' end
  local state, score = state_of(id)
  if not state then return 's' end
  local name = state == KEYS[DELAYED] and score < now + 1 and 'due' or state_name(state)
  return chosen[name] and 'd' or STAYS[name]
end

local letters, gone, freed, seen = {}, {}, {}, {}
local any_reserved_id = wanted == '' and key_exists('settled')
for i = FIRST, #ARGV do
  local id = ARGV[i]
  local letter = (seen[id] or redis.call('HEXISTS', KEYS[MSG], id) == 0) and 'u' or letter_of(id)
  if letter == 'd' then
    gone[#gone + 1], seen[id] = id, true
  elseif letter == 'u' and any_reserved_id and not seen[id] and settled_till(id, now) then
    letter, freed[#freed + 1], seen[id] = 'd', id, true
  end
  letters[#letters + 1] = letter
end
local frees = #gone > 0 and frees_place() and true -- perhaps
local denied = #gone > 0
  and (denial({'ZCARD', 'ZREM', 'HDEL', 'HINCRBY'}) or gone_denial() or keys_denial())
  or #freed > 0 and denial({'HDEL', 'ZREM'}) or frees and wake_denial()
if denied then return denied end
keep_gone(gone, now, nil, true)
drop(gone)
free(freed)
count('removed', #gone)
if frees then wake(now) end
return table.concat(letters)
