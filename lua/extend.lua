#!lua flags=allow-oom
-- extend: leased -> leased; the lease ends ttr from now.
-- KEYS    see lib/keys.lua
-- ARGV    now  ms, '' = the server's clock
--         ttr  ms from now
--         then for each receipt: id, token; at most 1,000
-- Reply   a letter a receipt, in order: d done, s stale (also if the lease expired and the message
--         is no longer leased),
--         u no such message
-- Errors  DQTYPE, DQRANGE, DQCLOCK, NOPERM
-- @include lib/usual_clock.lua
-- @include lib/receipts.lua
-- @include lib/digits.lua
-- @include lib/marks.lua
-- @include lib/counters.lua
local now_arg, ttr = ARGV[1], tonumber(ARGV[2])

-- wrong_ttr(up): the error reply if it is invalid.
local function wrong_ttr(up)
  if not (ttr and ttr >= 1) then return redis.error_reply('DQRANGE ttr') end
  ttr = math.ceil(ttr) -- ms are whole in every index
  if up + ttr >= SPAN then
    return redis.error_reply('DQRANGE the lease would end after May 2109')
  end
end

-- lengthen(id, lease, write): is the message leased? Then its lease ends at that time. nil: it was
-- refused.
local function lengthen(id, lease, write)
  local changed = write('ZADD', KEYS[LEASED], 'XX', 'CH', lease, id)
  if type(changed) == 'table' then return nil end
  -- The same time as before is no change.
  return changed == 1 or redis.call('ZSCORE', KEYS[LEASED], id) ~= false
end

local function extend(sure)
  local ids = receipts(3)
  local now, up, _, armed = usual_clock(now_arg, sure)
  local wrong = not (ids and now) or wrong_ttr(up)
  if wrong then return sure and wrong end
  local entries, letters, valid = valid_receipts(ids, 3)
  if not entries or not sure and valid < #ids then return nil end
  -- ZSCORE: who may only put has no right to it.
  local marks = not sure and may('ZSCORE', KEYS[LEASED], '0')
    and may('HINCRBY', KEYS[STAT], '0', '0') and usual_marks(armed, now, up + ttr)
  if not (sure or marks) then return nil end
  local refused = sure and valid > 0
    and (sure.denial({'ZADD', 'ZSCORE', 'HINCRBY'}) or sure.wake_denial())
  if refused then return refused end

  local lease, write, n = integer(up + ttr), sure and redis.call or redis.pcall, 0
  for i = 1, #ids do
    local leased = entries[i] and lengthen(ids[i], lease, write)
    if leased == nil then return nil end -- the first: nothing is written
    if leased then n, write = n + 1, redis.call elseif entries[i] then letters[i] = 's' end
  end
  count('extended', n)
  if n > 0 then add_marks(marks, now, sure) end -- a lease may have become shorter
  return table.concat(letters)
end

local reply = extend()
if reply then return reply end
-- @include lib/sure.lua
return refusal(now_arg, 'receipts', (receipts(3))) or extend(sure)
