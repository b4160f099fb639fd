-- @include lib/parts.lua
-- types: a script has no rollback, so it checks the types of all keys before its first write.
local types = {
  msg = 'hash', delayed = 'zset', ready = 'zset', leased = 'zset', dead = 'zset',
  try = 'hash', stat = 'hash', wake = 'zset', conf = 'hash', settled = 'zset',
  timer = 'zset', expiry = 'zset', guard = 'zset', failing = 'zset', begun = 'zset',
  outcome = 'hash', keyed = 'zset', turn = 'zset',
}

-- key_exists(part): did the key exist when wrong_type checked it? If not, it need not be read.
local exists = {}
local function key_exists(part)
  return exists[part]
end

-- wrong_type(): nil, or the error reply that names the first foreign key.
local function wrong_type()
  for part, name in pairs(key) do
    local is = redis.call('TYPE', name).ok
    exists[part] = is ~= 'none'
    if is ~= 'none' and is ~= types[part] then
      return redis.error_reply('DQTYPE ' .. name .. ' is a ' .. is .. ', not a ' .. types[part])
    end
  end
end
