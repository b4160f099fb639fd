-- @include lib/arguments.lua
-- @include lib/rights.lua
-- @include lib/rescheduled.lua
-- @include lib/wake.lua
-- sure: what only the second pass of a move can do (lib/usual.lua): it is true, and has these
-- functions.
local sure = {move_rescheduled = move_rescheduled, wake = wake, wake_denial = wake_denial,
  denial = denial, limited_by = limited_by, clock = clock, keys_denial = keys_denial,
  frees_place = frees_place}
