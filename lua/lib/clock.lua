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
