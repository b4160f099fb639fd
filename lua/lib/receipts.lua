-- @include lib/keys.lua
-- @include lib/try.lua
-- receipts: all settling scripts check them here. A receipt is valid while its token is the message's last one: also after the
-- lease expired, until the message is taken again.

-- valid_receipts(ids, tokens): two arrays, by position: the try entry as text if the receipt is valid, or false; and a letter: d
-- valid, s stale, u no such message. Of equal receipts only the first is valid.
local function valid_receipts(ids, tokens)
  local entries, letters, seen = redis.call('HMGET', key.try, unpack(ids)), {}, {}
  for i = 1, #ids do
    local id, token = ids[i], tokens[i]
    if entries[i] and try_token_is(entries[i], token) and token ~= SETTLED and not seen[id] then
      seen[id], letters[i] = true, 'd'
    else
      entries[i] = false
      letters[i] = (seen[id] or redis.call('HEXISTS', key.msg, id) == 1) and 's' or 'u'
    end
  end
  return entries, letters
end

-- receipts(from): ARGV from there on, as ids and tokens.
local function receipts(from)
  local argv, ids, tokens, n = ARGV, {}, {}, 0
  for i = from, #argv, 2 do
    n = n + 1
    ids[n], tokens[n] = argv[i], argv[i + 1]
  end
  return ids, tokens
end
