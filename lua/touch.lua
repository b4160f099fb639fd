#!lua flags=allow-oom
-- touch: a write that changes nothing. WAIT and WAITAOF wait for the last write on their
-- connection. After touch they confirm the whole queue, even changes from other connections. So a
-- repeated call, whose work was done before, is confirmed, too.
-- KEYS    see lib/keys.lua
-- ARGV    now  ms, '' = the server's clock; not used
-- Reply   1, or 0 if the queue does not exist
-- Errors  DQTYPE, DQRANGE
-- @include lib/keys.lua
-- @include lib/arguments.lua
-- @include lib/counters.lua
local refused = refusal_any_time(ARGV[1])
if refused then return refused end
if not key_exists('stat') then return 0 end
add('put', 0) -- Redis sends it to replicas and to the AOF even so
return 1
