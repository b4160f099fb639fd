-- @include lib/keys.lua
-- @include lib/constants.lua
-- usual: Redis has no rollback, so a script must know before its first write that nothing will
-- fail: the types of its keys, the caller's rights, arguments, the clock, the number of shards. To
-- check all of that takes longer than most moves. So a move is a function, which is called once or
-- twice:
--   move()      first. It checks what it needs by its reads, which are peeks. If one fails, or
--               anything is rare, it returns nil before its first write.
--   refusal()   then checks everything, and names what is wrong (lib/arguments.lua).
--   move(sure)  follows if nothing is wrong. It does rare things, too: sure has the functions for
--               them, which the first pass need not make.
-- So there is one path for each move, whatever options a message has; and what is rare takes some
-- microseconds more.

-- with_keys: what a queue that has messages with keys does besides (lib/begin_keys.lua), in the
-- second pass only; false: it has none.
local with_keys = false

-- peek(command...): a read. After refusal() it raises its error: only a missing right is left.
local peek = redis.pcall

-- may(command, key, argument...): may the caller run it? In the first pass a missing right is rare,
-- too; denial (lib/rights.lua) names it. Redis 8 checks the number of arguments.
local may = redis.acl_check_cmd

-- is_set(key): is it a sorted set, or is there none?
local function is_set(key)
  return type(peek('ZCARD', key)) == 'number'
end
