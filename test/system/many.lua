-- many: so many queues as puts leave them. ARGV: how many; ms until their only message is due, or
-- '' = none is left in them.
local now = redis.call('TIME')
local us = string.format('%d', now[1] * 1000000 + now[2])
local due = ARGV[2] ~= '' and string.format('%d', now[1] * 1000 + ARGV[2])
for i = 1, tonumber(ARGV[1]) do
  local queue = 'dq:{queue.' .. i .. '}:'
  redis.call('DEL', queue .. 'msg', queue .. 'delayed', queue .. 'timer')
  redis.call('HSET', queue .. 'stat', 'put', 1, 'armed', due or 0, 'generation', us,
    'listed', due and now[1] * 1000 or 1)
  redis.call('ZADD', '{dq:queues}', us, 'queue.' .. i)
  if due then
    redis.call('HSET', queue .. 'msg', 'id', '\n' .. i)
    redis.call('ZADD', queue .. 'delayed', due, 'id')
    redis.call('ZADD', queue .. 'timer', due, 't')
  end
end
