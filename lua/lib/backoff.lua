-- @include lib/constants.lua
-- backoff: the delay (ms) after failure n of a message, by its schedule:
--   b=0,0,120000   the n-th interval; the last one repeats
--   b=exp:MIN..MAX at random from D/2 to D, but not below MIN; D is MIN * 2^(n-1), at most MAX
local EXPONENTIAL = 101 -- its first byte, e

-- backoff(header, n, id, us): ms to wait after the n-th failure.
local function backoff(header, n, id, us)
  local schedule = BACKOFF
  if header ~= '' then
    -- @include lib/record.lua
    local own = field(header, 'b')
    schedule = own and is_schedule(own) and own or BACKOFF
  end
  if string.byte(schedule) == EXPONENTIAL then
    -- @include lib/exponential.lua
    local min, max = string.match(schedule, '(%d+)%.%.(%d+)')
    return exponential(tonumber(min), tonumber(max), n, id, us)
  end
  local wait, i = 0, 0
  for interval in string.gmatch(schedule, '%d+') do
    wait, i = tonumber(interval), i + 1
    if i == n then break end
  end
  return wait
end
