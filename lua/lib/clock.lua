-- clock(now_arg): the time, read once in a script. now_arg is the argument now of a script: ms as
-- text, or '' for the server's clock; then perhaps / and how many shards the caller knows of
-- (lib/shards.lua).
-- Three values: ms rounded down, to which due times are compared; ms rounded up, from which new
-- delays and leases start, so that nothing is early; and us, for tokens.
local read
local function clock(now_arg)
  local ms = now_arg ~= '' and tonumber(string.match(now_arg, '^[^/]+'))
  if ms then
    return ms, ms, ms * 1000
  end
  if not read then
    local time = redis.call('TIME')
    read = time[1] * 1000000 + time[2]
  end
  return math.floor(read / 1000), math.ceil(read / 1000), read
end
