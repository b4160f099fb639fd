-- @include lib/keys.lua
-- rights: a script has no rollback, so it checks before its first write that the caller may run all
-- its commands. Keys need no check: Redis refuses a script to a caller without the right to write
-- all KEYS. Commands that always run before the first write need none.

-- denial(commands): nil, or the error reply that names the first of them that the caller may not
-- run. Redis 8 checks the number of arguments: two texts come after the key, where the command
-- takes them.
local function denial(commands)
  for i = 1, #commands do
    local command, allowed = commands[i]
    if command == 'ZCARD' or command == 'HLEN' or command == 'HGETALL' or command == 'UNLINK' then
      allowed = redis.acl_check_cmd(command, KEYS[MSG])
    elseif command == 'HEXISTS' or command == 'HGET' or command == 'ZSCORE' then
      allowed = redis.acl_check_cmd(command, KEYS[MSG], '0')
    else
      allowed = redis.acl_check_cmd(command, KEYS[MSG], '0', '0')
    end
    if not allowed then
      return redis.error_reply('NOPERM this user has no right to run ' .. command)
    end
  end
end
