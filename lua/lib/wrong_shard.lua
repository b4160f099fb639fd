-- @include lib/shards.lua
-- @include lib/digits.lua
-- @include lib/number.lua
-- @include lib/foreign.lua
-- wrong_shard: a message in another shard than the one that its id determines: no receipt of it can
-- be settled, because a settle asks the right shard. No script puts one there.
local WRONG_SHARD = 'in the wrong shard'
local SHARDS_MOST = 64

local crc_table -- of the CRC16 of Redis Cluster, by byte: made when it is first needed

-- make_table(): each call of a script makes it anew, so from the eight bytes of one bit: those of
-- the others are their sums.
local function make_table()
  local bxor, crc, size = bit.bxor, 0x1021, 1
  crc_table = {[0] = 0}
  repeat
    for rest = 0, size - 1 do crc_table[size + rest] = bxor(crc, crc_table[rest]) end
    crc, size = crc < 0x8000 and 2 * crc or bxor(2 * crc - 0x10000, 0x1021), 2 * size
  until size == 256
end

-- crc16(text): on numbers of 16 bits, with few calls, as it is for each id.
local function crc16(text)
  if not crc_table then make_table() end
  local bxor, steps, crc = bit.bxor, crc_table, 0
  local bytes = {string.byte(text, 1, -1)}
  for i = 1, #bytes do
    local low = crc % 256
    crc = bxor(256 * low, steps[bxor((crc - low) / 256, bytes[i])])
  end
  return crc
end

-- is_shard(text): '' or nil: not to be checked.
local function is_shard(text)
  return not text or text == '' or whole(text, 0, SHARDS_MOST - 1)
end

-- in_wrong_shard(id, now_arg, shard): is that id not one of this shard, of so many as now_arg says?
-- No if not to be checked. The shard follows from the key of the id, if it has one.
local function in_wrong_shard(id, now_arg, shard)
  local count = whole(known_shards(now_arg), 2, SHARDS_MOST)
  shard = shard ~= '' and tonumber(shard)
  return count and shard and not is_foreign(id)
    and crc16(string.match(id, '^[^+]+')) % count ~= shard
end
