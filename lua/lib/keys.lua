-- keys: a queue's keys by part, as places in KEYS. Every script gets all of them, in the order of
-- enum name_part (common/base/name.h), and touches no other. A state of a message is named by the
-- key of its index.
local MSG = 1
local DELAYED = 2
local READY = 3
local LEASED = 4
local DEAD = 5
local TRY = 6
local STAT = 7
local WAKE = 8
local CONF = 9
local SETTLED = 10
local TIMER = 11
local EXPIRY = 12
local GUARD = 13
local FAILING = 14
local BEGUN = 15
local OUTCOME = 16
local KEYED = 17
local TURN = 18
