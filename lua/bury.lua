#!lua flags=allow-oom
-- bury: leased -> dead at once, whatever tries are left.
-- KEYS    see lib/keys.lua
-- ARGV    now     ms, '' = the server's clock
--         reason  text, kept as the message's last reason; '' leaves the one before
--         then for each receipt: id, token; at most 1,000
-- Reply   a letter a receipt, in order: d done, s stale, u no such message
-- Errors  DQTYPE, DQRANGE
-- @include lib/keys.lua
-- @include lib/given.lua
-- @include lib/clock.lua
-- @include lib/held.lua
-- @include lib/settle.lua
-- @include lib/drop.lua
local given, reason = ARGV[1], ARGV[2]
local ids, tokens = receipts(3)

local refused = refusal(given, 'receipts', items(3, 2))
if refused then return refused end
local now = clock(given)
local entries, letters = held(ids, tokens)
local dead, tries = target(), {}
for i = 1, #ids do
  local try = entries[i] and try_parse(entries[i])
  if try then
    place(dead, now, ids[i])
    local why = reason ~= '' and reason or try.reason
    tries[#tries + 1], tries[#tries + 2] = ids[i], try_text(try.tries, SETTLED, try.due, try.header, why)
  end
end
settle({dead = dead}, tries)
count('dead', #dead.ids)
return table.concat(letters)
