-- @include lib/keys.lua
-- @include lib/digits.lua
-- @include lib/number.lua
-- @include lib/claim.lua
-- @include lib/limits.lua
-- edges: the beginning and the end of a queue in a dump. Nobody takes from the queue in between:
-- what was loaded, taken and acked would be loaded again when the load is repeated.

local function was_loaded(dump)
  return redis.call('HGET', KEYS[STAT], 'loaded') == dump
end

-- edge_refusal(m, claim): the error reply if the load with that number may not do it, else nil.
local function edge_refusal(m, claim)
  if was_loaded(m.dump) then return nil end
  if m.word == 'begin' then return claim_taken(m.dump) end
  return claim_lost(claim)
end

local EDGES = {}

-- A pause that ends by itself goes on after the load: it must not end in the middle of it.
function EDGES.begin(m, claim, paused)
  local till = pause_end(paused)
  if not paused or till then
    redis.call('HSET', KEYS[CONF], 'paused', 'load' .. (till and ' ' .. paused or ''))
  end
  redis.call('HSET', KEYS[STAT], 'claim', claim, 'loading', m.dump)
end

EDGES['end'] = function(m, _, paused)
  local loads, till = pause_of_load(paused)
  redis.call('HSET', KEYS[STAT], 'loaded', m.dump)
  redis.call('HDEL', KEYS[STAT], 'claim', 'loading')
  if loads and (m.paused == '1' or till ~= '') then
    redis.call('HSET', KEYS[CONF], 'paused', m.paused == '1' and '1' or till)
  elseif loads then
    redis.call('HDEL', KEYS[CONF], 'paused')
  end
end

EDGES.free = claim_free

-- do_edge(m, claim, now): the letter: 's' if that dump was loaded whole.
local function do_edge(m, claim, now)
  if was_loaded(m.dump) then return 's' end
  local paused = redis.call('HGET', KEYS[CONF], 'paused')
  local last = whole(redis.call('HGET', KEYS[STAT], 'token'), 0, WHOLE) or 0
  if m.token > last then redis.call('HSET', KEYS[STAT], 'token', integer(m.token)) end
  EDGES[m.word](m, claim, paused)
  note_limits(now)
  return 'n'
end
