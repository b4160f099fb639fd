-- @include lib/keys.lua
-- picked: the elements of what a take leases, made of those that its pick has read (lib/pick.lua).

-- will_lease(m): of a take, which knows the elements: m.picked has them by the place of the message
-- (false: it has no key), and m.entries the try entries. Not all that leave ready are leased.
local function will_lease(m)
  local picked, entries, ids, add, gone, leased, k, g = m.picked, m.entries, m.ids, {}, {}, {}, 0, 0
  local all = #m.scores == 2 * m.n
  for i = 2, all and 0 or #m.scores, 2 do leased[m.scores[i]] = true end
  for i = 1, m.n do
    local element = picked[i]
    if element then
      local at = string.find(element, ' ', 1, true)
      local key, rest = string.sub(element, 1, at), string.sub(element, at + 19)
      if all or leased[ids[i]] then add[k + 1], add[k + 2], k = '0', key .. 'L' .. rest, k + 2 end
      gone[g + 1], g = element, g + 1
      if entries[i] then gone[g + 1], g = key .. 'B' .. rest, g + 1 end
    end
  end
  if k > 0 then redis.call('ZADD', KEYS[KEYED], unpack(add)) end
  m.gone = gone
end
