#!lua flags=allow-oom
-- touch: writes, and changes nothing. WAIT and WAITAOF wait for the last write on their connection: behind touch that is for all
-- that the queue has, also if another connection wrote it. So a repeated call, which finds its work done, is confirmed, too.
-- KEYS    see lib/keys.lua
-- ARGV    now  ms, '' = the server's clock; not used
-- Reply   1, or 0 if the queue does not exist
-- Errors  DQTYPE, DQRANGE
-- @include lib/keys.lua
-- @include lib/arguments.lua
local refused = refusal_to_look(ARGV[1])
if refused then return refused end
if not key_exists('stat') then return 0 end
redis.call('HINCRBY', key.stat, 'put', 0) -- Redis sends it to replicas and to the AOF even so
return 1
