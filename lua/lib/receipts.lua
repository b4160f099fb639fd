-- @include lib/usual.lua
-- @include lib/items.lua
-- receipts: all settling scripts check them here. A receipt is valid while its token is the
-- message's last one: also after the lease expired, until the message is taken again.

-- receipts(first): the ids of those in ARGV from there on: id, token, id, token...; nil if they are
-- not 1 to ITEMS.
local function receipts(first)
  if not items(first, 2) then return nil end
  local argv, ids, n = ARGV, {}, 0
  for i = first, #argv, 2 do
    n = n + 1
    ids[n] = argv[i]
  end
  return ids
end

-- valid_receipts(ids, first, parse): two arrays, by position: the try entry if the receipt is
-- valid, or false; and a letter: d valid, s stale, u no such message; and how many are valid. If
-- receipts are equal, only the first is valid. nil: a read failed. parse: try_parse (lib/try.lua),
-- for entries that are parsed; nil: as text.
local function valid_receipts(ids, first, parse)
  local argv, entries = ARGV, peek('HMGET', KEYS[TRY], unpack(ids))
  local letters, seen, n = {}, #ids > 1 and {} or nil, 0
  if entries.err then return nil end
  for i = 1, #ids do
    local id, token = ids[i], argv[first + 2 * i - 1]
    local entry, valid = token ~= NO_TOKEN and entries[i], nil
    if entry and parse then
      entries[i] = parse(entry)
      valid = entries[i].token == token
    elseif entry then -- the same, in half of the time
      local last = string.match(entry, '^%d+ (%d+) %d+%S* ')
        or string.match(entry, '^%d+%+%d+ (%d+) %d+%S* ')
      valid = last == token and string.find(entry, '\n', 1, true)
    end
    if valid and not (seen and seen[id]) then
      letters[i], n = 'd', n + 1
      if seen then seen[id] = true end
    else
      local there = seen and seen[id] and 1 or peek('HEXISTS', KEYS[MSG], id)
      if type(there) == 'table' then return nil end
      entries[i], letters[i] = false, there == 1 and 's' or 'u'
    end
  end
  return entries, letters, n
end
