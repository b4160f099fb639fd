-- @include lib/constants.lua
-- @include lib/record.lua
-- backoff: the delay (ms) after failure n of a message, by its schedule:
--   b=0,0,120000   the n-th interval; the last one repeats
--   b=exp:MIN..MAX at random from D/2 to D, but not below MIN; D is MIN * 2^(n-1), at most MAX

-- spread(id, us): 0 to 1, different for each message and call. math.random gives every script the same numbers. The last step
-- moves similar ids, such as ULIDs made together, far apart: 40494/65521 is the golden ratio.
local function spread(id, us)
  local n = us % 65521
  for i = 1, #id do n = (n * 257 + string.byte(id, i)) % 65521 end
  return n * 40494 % 65521 / 65521
end

local function exponential(min, max, n, id, us)
  local most = math.min(max, min * 2 ^ math.min(n - 1, 50))
  local least = math.max(min, most / 2)
  return math.ceil(least + (most - least) * spread(id, us))
end

-- backoff(header, n, id, us): ms to wait after the n-th failure.
local function backoff(header, n, id, us)
  local schedule = field(header, 'b')
  if not (schedule and is_schedule(schedule)) then schedule = BACKOFF end
  local min, max = string.match(schedule, '^exp:(%d+)%.%.(%d+)$')
  if min then return exponential(tonumber(min), tonumber(max), n, id, us) end
  local wait, i = 0, 0
  for interval in string.gmatch(schedule, '%d+') do
    wait, i = tonumber(interval), i + 1
    if i == n then break end
  end
  return wait
end
