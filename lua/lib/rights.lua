-- @include lib/keys.lua
-- rights: a script has no rollback, so a command that the caller may not run must be met before the first write. Keys need no
-- look: who may not write all of KEYS may not even call the script. A check takes a third of a microsecond; what surely ran
-- before the first write needs none.

local WAKES = {'HEXISTS', 'ZCARD', 'ZRANGE', 'HGET', 'ZADD', 'HSET'} -- what lib/wake.lua needs

-- Redis 8 wants as many arguments as the command does: so many come after the key.
local ARGUMENTS = {ZCARD = 0, HLEN = 0, UNLINK = 0, HEXISTS = 1, HGET = 1, HMGET = 1, HDEL = 1, ZSCORE = 1, ZREM = 1}
local DUMMY = {'0', '0'} -- the others want two

-- denial(commands): nil, or the error reply that names the first of them that the caller may not run.
local function denial(commands)
  for i = 1, #commands do
    if not redis.acl_check_cmd(commands[i], key.msg, unpack(DUMMY, 1, ARGUMENTS[commands[i]] or 2)) then
      return redis.error_reply('NOPERM this user has no right to run ' .. commands[i])
    end
  end
end
