-- exponential: a delay by chance that grows.

-- spread(id, us): 0 to 1, different for each message and call. math.random gives every script the
-- same numbers. The last step moves similar ids, such as ULIDs made together, far apart:
-- 40494/65521 is the golden ratio.
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
