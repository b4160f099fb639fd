#!lua flags=allow-oom
-- bury: leased -> dead, even if tries are left; or delayed or ready if a put asked for it during the delivery (lib/ends.lua).
-- KEYS    see lib/keys.lua
-- ARGV    now     ms, '' = the server's clock
--         reason  text, the message's last reason from now on; '' keeps the one before
--         then for each receipt: id, token; at most 1,000
-- Reply   a letter a receipt, in order: d done, s stale, u no such message
-- Errors  DQTYPE, DQRANGE, DQCLOCK, NOPERM
-- @include lib/keys.lua
-- @include lib/arguments.lua
-- @include lib/rights.lua
-- @include lib/clock.lua
-- @include lib/receipts.lua
-- @include lib/settle.lua
-- @include lib/ends.lua
-- @include lib/counters.lua
-- @include lib/wake.lua
local given, reason = ARGV[1], ARGV[2]
local ids, tokens = receipts(3)

local refused = refusal(given, 'receipts', items(3, 2))
if refused then return refused end
local now = clock(given)
local entries, letters = held(ids, tokens)
local plan, back, tries = {}, comebacks(), {}
for i = 1, #ids do
  local try = entries[i] and try_parse(entries[i])
  if try and not come_back(back, ids[i], try, now) then
    place(plan, 'dead', now, ids[i])
    tries[#tries + 1], tries[#tries + 2] = ids[i], settled_text(try, reason)
  end
end
local denied = #tries + #back.ids > 0 and denial({'HSET', 'ZADD', 'ZREM', 'HDEL', 'HINCRBY'})
  or #back.ids > 0 and denial(WAKES)
if denied then return denied end
settle(plan, tries)
if welcome(back) > 0 then wake(now) end
count('dead', placed(plan, 'dead'))
return table.concat(letters)
