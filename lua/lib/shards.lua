-- shards: a queue may be spread over several shards. Each is a queue by itself, with keys of its
-- own. The field shards of its stat has their number: N+ while they are created, then N, and N-
-- while they are removed. A queue of one shard has no such field. Callers add the number that they
-- know to the time: NOW/N, or only NOW for one shard. A script that was called with a different
-- number changes nothing.

-- known_shards(now_arg): the number that the caller knows, as in stat; false: one.
local function known_shards(now_arg)
  return now_arg ~= '' and string.match(now_arg, '/(.*)$') or false
end
