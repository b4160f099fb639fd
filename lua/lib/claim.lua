-- @include lib/keys.lua
-- claim: from the first to the last line of a queue in a dump, one load has the queue. In stat,
-- claim is the number of the load, which no other load has, and loading is that of its dump. A
-- later load of the same dump takes over: so a load that was killed can be repeated, and one that
-- was only stopped changes nothing any more. A load of another dump is refused while there is the
-- field loading: else its end would resume the queue before all of the first dump is there.

-- claim_taken(dump): the error reply if a load of another dump has the queue, else nil.
local function claim_taken(dump)
  local loading = redis.call('HGET', KEYS[STAT], 'loading')
  if loading and loading ~= dump then return redis.error_reply('DQHELD ' .. loading) end
end

-- claim_lost(claim): the error reply if that load does not have the queue any more, else nil.
local function claim_lost(claim)
  if redis.call('HGET', KEYS[STAT], 'claim') == claim then return nil end
  local by = redis.call('HGET', KEYS[STAT], 'loading') or redis.call('HGET', KEYS[STAT], 'loaded')
  return redis.error_reply(by and 'DQOVER ' .. by or 'DQGONE the queue')
end

-- claim_free(): the load keeps the queue, but a load of any dump may take over.
local function claim_free()
  redis.call('HDEL', KEYS[STAT], 'loading')
end
