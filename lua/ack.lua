#!lua flags=allow-oom
-- ack: leased -> gone. A late ack counts while nobody took the message since.
-- KEYS    see lib/keys.lua
-- ARGV    for each receipt: id, token; at most 1,000
-- Reply   a letter a receipt, in order: d done, s stale, u no such message
-- Errors  DQTYPE
-- @include lib/keys.lua
-- @include lib/types.lua
-- @include lib/held.lua
-- @include lib/drop.lua
local ids, tokens = receipts(1)

local refused = wrong_type()
if refused then return refused end
local entries, letters = held(ids, tokens)
local done = {}
for i = 1, #ids do
  if entries[i] then done[#done + 1] = ids[i] end
end
drop(done)
count('acked', #done)
return table.concat(letters)
