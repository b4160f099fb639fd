#!lua flags=allow-oom
-- release: leased -> ready for named messages whose consumer is gone, as if their leases ended now:
-- the try counts; dead if no tries are left; delayed or ready if a put has rescheduled it
-- (lib/rescheduled.lua). The receipt is no longer valid.
-- KEYS    see lib/keys.lua
-- ARGV    now     ms, '' = the server's clock
--         holder  '' = any; or only messages that it has: HOST:PID, or HOST for all processes of
--                 that host (lib/holder.lua)
--         then ids; at most 1,000
-- Reply   a letter an id, in order: d ready (or delayed), b dead: its tries are used up, s not
--         leased, o another one has it,
--         u no such message
-- Errors  DQTYPE, DQRANGE, DQCLOCK, NOPERM
-- @include lib/keys.lua
-- @include lib/arguments.lua
-- @include lib/rights.lua
-- @include lib/clock.lua
-- @include lib/counters.lua
-- @include lib/due.lua
-- @include lib/holder.lua
-- @include lib/wake.lua
local now_arg, holder = ARGV[1], ARGV[2]
local FIRST = 3

local refused = refusal(now_arg, 'holder', holder and is_holder(holder), 'ids', items(FIRST, 1))
if refused then return refused end
local now = clock(now_arg)
local letters, ids, place_of = {}, {}, {}

local function is_others(id)
  local try = holder ~= '' and try_of(id)
  return holder ~= '' and not (try and is_held_by(try, holder))
end

for i = FIRST, #ARGV do
  local id = ARGV[i]
  local letter = 's'
  if not place_of[id] and redis.call('ZSCORE', KEYS[LEASED], id) then
    if is_others(id) then
      letter = 'o'
    else
      letter, ids[#ids + 1], place_of[id] = 'd', id, #letters + 1
    end
  elseif redis.call('HEXISTS', KEYS[MSG], id) == 0 then
    letter = 'u'
  end
  letters[#letters + 1] = letter
end
local denied = #ids > 0
  and (denial({'HMGET', 'ZREM', 'HDEL', 'HINCRBY'}) or wake_denial() or keys_denial())
if denied then return denied end
if #ids > 0 then
  local _, dead = end_leases(ids, now, 'released', NO_TOKEN)
  for _, id in ipairs(dead) do letters[place_of[id]] = 'b' end
  count('released', #ids)
  wake(now)
end
return table.concat(letters)
