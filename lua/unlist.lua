#!lua flags=allow-oom
-- unlist: removes the name of a forgotten queue from the list of queues, unless a put has added it
-- since.
-- KEYS    {PREFIX:queues}, {PREFIX:queues}:new, of one slot; no key of the queue, which may be on
--         another node
-- ARGV    now         ms, '' = the server's clock; not used
--         name        of the queue
--         generation  of that name, as forget replied
-- Reply   1 if the name was removed, else 0. With the last name, the mark of a new queue is
--         removed, too
-- Errors  DQTYPE, DQRANGE
local list, new, now_arg, name, generation = KEYS[1], KEYS[2], ARGV[1], ARGV[2], tonumber(ARGV[3])
local WHOLE = 9007199254740991

for _, it in ipairs({list, new}) do
  local is = redis.call('TYPE', it).ok
  if is ~= 'none' and is ~= 'zset' then
    return redis.error_reply('DQTYPE ' .. it .. ' is a ' .. is .. ', not a zset')
  end
end
local ms = tonumber(now_arg)
if not (now_arg == '' or ms and ms >= 0 and ms <= WHOLE and ms % 1 == 0) then
  return redis.error_reply('DQRANGE now')
end
if not name or name == '' then return redis.error_reply('DQRANGE name') end
if not (generation and generation >= 1 and generation <= WHOLE) then
  return redis.error_reply('DQRANGE generation')
end
local score = tonumber(redis.call('ZSCORE', list, name))
local others = redis.call('ZCARD', list) > 1
if not (score and score <= generation) then return 0 end
redis.call('ZREM', list, name)
if not others then redis.call('ZREM', new, 'r') end
return 1
