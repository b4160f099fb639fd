-- @include lib/keys.lua
-- rights: a script has no rollback, so it checks before its first write that the caller may run all its commands. Keys need no
-- check: Redis refuses a script to a caller without the right to write all KEYS. A check takes a third of a microsecond; commands
-- that always run before the first write need none.

local WAKES = {'HEXISTS', 'ZCARD', 'ZRANGE', 'HGET', 'ZADD', 'HSET'} -- what lib/wake.lua needs

-- Redis 8 checks the number of arguments: so many come after the key.
local ARGUMENTS = {ZCARD = 0, HLEN = 0, UNLINK = 0, HEXISTS = 1, HGET = 1, HMGET = 1, HDEL = 1, ZSCORE = 1, ZREM = 1}
local DUMMY = {'0', '0'} -- all others: two

-- denial(commands): nil, or the error reply that names the first of them that the caller may not run.
local function denial(commands)
  for i = 1, #commands do
    if not redis.acl_check_cmd(commands[i], key.msg, unpack(DUMMY, 1, ARGUMENTS[commands[i]] or 2)) then
      return redis.error_reply('NOPERM this user has no right to run ' .. commands[i])
    end
  end
end
