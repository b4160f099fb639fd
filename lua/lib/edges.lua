-- @include lib/keys.lua
-- @include lib/digits.lua
-- @include lib/claim.lua
-- edges: the beginning and the end of a queue in a dump. Nobody takes from the queue in between: what was loaded, taken and
-- acked would be loaded again when the load is repeated.

local function was_loaded(dump)
  return redis.call('HGET', key.stat, 'loaded') == dump
end

-- edge_refusal(m, claim): the error reply if the load with that number may not do it, else nil.
local function edge_refusal(m, claim)
  if was_loaded(m.dump) then return nil end
  if m.word == 'begin' then return claim_taken(m.dump) end
  return claim_lost(claim)
end

local EDGES = {}

function EDGES.begin(m, claim, paused)
  if not paused then redis.call('HSET', key.conf, 'paused', 'load') end
  redis.call('HSET', key.stat, 'claim', claim, 'loading', m.dump)
end

EDGES['end'] = function(m, _, paused)
  redis.call('HSET', key.stat, 'loaded', m.dump)
  redis.call('HDEL', key.stat, 'claim', 'loading')
  if paused == 'load' and m.paused == '1' then
    redis.call('HSET', key.conf, 'paused', '1')
  elseif paused == 'load' then
    redis.call('HDEL', key.conf, 'paused')
  end
end

EDGES.free = claim_free

-- do_edge(m, claim): the letter: 's' if that dump was loaded whole.
local function do_edge(m, claim)
  if was_loaded(m.dump) then return 's' end
  local paused, last = redis.call('HGET', key.conf, 'paused'), tonumber(redis.call('HGET', key.stat, 'token')) or 0
  if m.token > last then redis.call('HSET', key.stat, 'token', integer(m.token)) end
  EDGES[m.word](m, claim, paused)
  return 'n'
end
