-- @include lib/constants.lua
-- @include lib/number.lua
-- @include lib/shards.lua
-- plain: what the paths for one plain message share (lib/*_plain.lua). Such a path does what the rest of its script would do, in
-- less than half of the time: it stands before the other includes, since a script makes its functions anew in each call, and
-- includes no functions that it does not use.
-- It reads, then decides, then writes. The first write may be part of the decision (redis.pcall): if it changes nothing, or is
-- refused, nothing is written. If anything is not plain it returns nil, and the rest of the script does the work or names what is
-- wrong. So a key of a foreign type and a missing right are not plain.
-- A change of how a message moves concerns both; test/sim takes both.

local peek = redis.pcall -- for reads only: an error is for the rest of the script to name
