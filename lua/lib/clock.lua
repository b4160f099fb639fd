-- clock(given): the time, read once a script. given is ms as text, or '' for the server's own clock.
-- Three values: ms rounded down (what is due is due by this one), ms rounded up (new deadlines start
-- here: nothing is ever early), and us (tokens).
local read
local function clock(given)
  if given ~= '' then
    local ms = tonumber(given)
    return ms, ms, ms * 1000
  end
  if not read then
    local time = redis.call('TIME')
    read = time[1] * 1000000 + time[2]
  end
  return math.floor(read / 1000), math.ceil(read / 1000), read
end

-- integer(n): digits. tostring() would round a token and write 1e+15. %d is many times faster, and enough where a long has
-- 64 bits. Scores are given to Redis as such text, too: it writes a number by %.17g, which is slow.
local DIGITS = string.format('%d', 2 ^ 42) == '4398046511104' and '%d' or '%.0f'
local function integer(n)
  return string.format(DIGITS, n)
end
