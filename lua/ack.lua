#!lua flags=allow-oom
-- ack: leased -> gone; or delayed or ready if a put has rescheduled it (lib/rescheduled.lua). An ack after the end of the lease
-- counts unless the message was taken again.
-- KEYS    see lib/keys.lua
-- ARGV    now  ms, '' = the server's clock
--         then for each receipt: id, token; at most 1,000
-- Reply   a letter a receipt, in order: d done, s stale, u no such message
-- Errors  DQTYPE, DQRANGE, DQCLOCK, NOPERM
-- @include lib/ack_plain.lua
local usual = ack_plain(ARGV[1], ARGV[2])
if usual then return usual end

-- @include lib/keys.lua
-- @include lib/arguments.lua
-- @include lib/rights.lua
-- @include lib/clock.lua
-- @include lib/record.lua
-- @include lib/receipts.lua
-- @include lib/rescheduled.lua
-- @include lib/drop.lua
-- @include lib/counters.lua
-- @include lib/wake.lua
local now_arg = ARGV[1]
local ids, tokens = receipts(2)

local refused = refusal(now_arg, 'receipts', items(2, 2))
if refused then return refused end
local now, up = clock(now_arg)
local entries, letters = valid_receipts(ids, tokens)
local done, taken, rescheduled, n = {}, {}, rescheduled_list(), 0
for i = 1, #ids do
  local entry = entries[i]
  if entry and not (may_be_rescheduled(entry) and add_rescheduled(rescheduled, ids[i], try_parse(entry), now)) then
    n = n + 1
    done[n] = ids[i]
    local unique = string.find(entry, 'u=', 1, true) and number_field(try_parse(entry).header, 'u', 0) or 0
    if unique > 0 then taken[#taken + 1], taken[#taken + 2] = up + unique, ids[i] end
  end
end
local denied = n + #rescheduled.ids > 0 and denial({'ZADD', 'ZREM', 'HDEL', 'HINCRBY'}) or #rescheduled.ids > 0 and denial(WAKES)
if denied then return denied end
if #taken > 0 then redis.call('ZADD', key.settled, unpack(taken)) end
local moved = move_rescheduled(rescheduled)
drop(done)
count('acked', n + moved)
if moved > 0 then wake(now) end
return table.concat(letters)
