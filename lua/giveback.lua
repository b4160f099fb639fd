#!lua flags=allow-oom
-- give back: leased -> ready, as it was before: the try is not counted, its place is by its old due time.
-- KEYS    see lib/keys.lua
-- ARGV    for each receipt: id, token; at most 1,000
-- Reply   a letter a receipt, in order: d done, s stale, u no such message
-- Errors  DQTYPE
-- @include lib/keys.lua
-- @include lib/types.lua
-- @include lib/scores.lua
-- @include lib/record.lua
-- @include lib/held.lua
-- @include lib/drop.lua
local ids, tokens = receipts(1)

local refused = wrong_type()
if refused then return refused end
local entries, letters = held(ids, tokens)
local ready, tries, back = {}, {}, {}
for i = 1, #ids do
  local try = entries[i]
  if try then
    local score = ready_score(number_field(try.header, 'p', PRIORITY), try.due)
    ready[#ready + 1], ready[#ready + 2] = score, ids[i]
    tries[#tries + 1] = ids[i]
    tries[#tries + 1] = try_text(math.max(try.tries - 1, 0), SETTLED, try.due, try.header, try.reason)
    back[#back + 1] = ids[i]
  end
end
if #back > 0 then
  redis.call('ZADD', key.ready, unpack(ready))
  redis.call('HSET', key.try, unpack(tries))
  redis.call('ZREM', key.leased, unpack(back))
  redis.call('ZREM', key.delayed, unpack(back))
  redis.call('ZREM', key.dead, unpack(back))
  count('given_back', #back)
end
return table.concat(letters)
