-- last_first(list, n): puts its n pairs, score and id, in the opposite order. While a sorted set is
-- small (128 members) Redis looks from its beginning for the place of each new one: what goes
-- behind the others is to be added before them. A batch of leases where nothing else is leased
-- takes a fifth less of a take.
local function last_first(list, n)
  for i = 1, n - 1, 2 do
    local j = n * 2 - i
    list[i], list[i + 1], list[j], list[j + 1] = list[j], list[j + 1], list[i], list[i + 1]
  end
  return list
end
