-- @include lib/shards.lua
-- @include lib/digits.lua
-- @include lib/number.lua
-- @include lib/foreign.lua
-- astray: a message in another shard than the one that its id determines: no receipt of it can be settled, because who has one
-- asks the right shard. No script puts one there.
local ASTRAY = 'in the wrong shard' -- common/queue/astray.h mirrors it
local SHARDS_MOST = 64

local crc_table -- of the CRC16 of Redis Cluster, by byte: made when it is first needed

local function crc_of_byte(byte)
  local crc = bit.lshift(byte, 8)
  for _ = 1, 8 do
    crc = bit.bxor(bit.lshift(crc, 1), bit.band(crc, 0x8000) ~= 0 and 0x1021 or 0)
  end
  return bit.band(crc, 0xFFFF)
end

local function crc16(text)
  if not crc_table then
    crc_table = {}
    for byte = 0, 255 do crc_table[byte] = crc_of_byte(byte) end
  end
  local crc = 0
  for i = 1, #text do
    local byte = bit.bxor(bit.rshift(crc, 8), string.byte(text, i))
    crc = bit.bxor(bit.band(bit.lshift(crc, 8), 0xFFFF), crc_table[byte])
  end
  return crc
end

-- is_shard(text): '' or nil: not to be checked.
local function is_shard(text)
  return not text or text == '' or whole(text, 0, SHARDS_MOST - 1)
end

-- is_astray(id, given, shard): is that id not one of this shard, of so many as given says? No if it is not to be checked.
local function is_astray(id, given, shard)
  local count = whole(shards_told(given), 2, SHARDS_MOST)
  shard = shard ~= '' and tonumber(shard)
  return count and shard and not is_foreign(id) and crc16(id) % count ~= shard
end
