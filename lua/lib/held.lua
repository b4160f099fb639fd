-- @include lib/keys.lua
-- @include lib/try.lua
-- held(ids, tokens): the one check behind every settling call. A receipt is valid while its token is the message's last
-- one, even after the lease ran out, as long as nobody took the message since. Two arrays, by position: the parsed try
-- entry or false, and a letter: d valid, s stale, u no such message. Of equal receipts the first counts.
local function held(ids, tokens)
  local entries, letters, seen = redis.call('HMGET', key.try, unpack(ids)), {}, {}
  for i = 1, #ids do
    local id, try = ids[i], entries[i] and try_parse(entries[i])
    if try and try.token == tokens[i] and tokens[i] ~= SETTLED and not seen[id] then
      seen[id], entries[i], letters[i] = true, try, 'd'
    else
      entries[i] = false
      letters[i] = (seen[id] or redis.call('HEXISTS', key.msg, id) == 1) and 's' or 'u'
    end
  end
  return entries, letters
end

-- receipts(from): ARGV from there on, as ids and tokens.
local function receipts(from)
  local ids, tokens = {}, {}
  for i = from, #ARGV, 2 do
    ids[#ids + 1], tokens[#tokens + 1] = ARGV[i], ARGV[i + 1]
  end
  return ids, tokens
end
