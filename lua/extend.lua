#!lua flags=allow-oom
-- extend: leased -> leased; the lease ends ttr from now.
-- KEYS    see lib/keys.lua
-- ARGV    now  ms, '' = the server's clock
--         ttr  ms from now
--         then for each receipt: id, token; at most 1,000
-- Reply   a letter a receipt, in order: d done, s stale (also if the lease expired and the message is no longer leased),
--         u no such message
-- Errors  DQTYPE, DQRANGE, DQCLOCK, NOPERM
-- @include lib/extend_plain.lua
local usual = extend_plain(unpack(ARGV, 1, 5))
if usual then return usual end

-- @include lib/keys.lua
-- @include lib/arguments.lua
-- @include lib/rights.lua
-- @include lib/clock.lua
-- @include lib/scores.lua
-- @include lib/receipts.lua
-- @include lib/counters.lua
-- @include lib/wake.lua
local now_arg, ttr = ARGV[1], tonumber(ARGV[2])
local ids, tokens = receipts(3)

local refused = refusal(now_arg, 'receipts', items(3, 2))
if refused then return refused end
local now, up = clock(now_arg)
if not (ttr and ttr >= 1) then return redis.error_reply('DQRANGE ttr') end
ttr = math.ceil(ttr) -- ms are whole in every index
if up + ttr >= SPAN then return redis.error_reply('DQRANGE the lease would end after May 2109') end
local entries, letters = valid_receipts(ids, tokens)
local leases = {}
for i = 1, #ids do
  if entries[i] and redis.call('ZSCORE', key.leased, ids[i]) then
    leases[#leases + 1], leases[#leases + 2] = up + ttr, ids[i]
  elseif entries[i] then
    letters[i] = 's'
  end
end
local denied = #leases > 0 and (denial({'HINCRBY'}) or denial(WAKES))
if denied then return denied end
if #leases > 0 then
  redis.call('ZADD', key.leased, unpack(leases))
  count('extended', #leases / 2)
  wake(now) -- a lease may have become shorter
end
return table.concat(letters)
