-- constants of the messages, and of the marks. (The scripts as embedded have their values in
-- place.) C has most
-- of them, too: test/check/agree.bats compares them.
local SPAN = 4398046511104 -- times (ms) are below 2^42
local KEYED_FROM = 1125899906842624 -- 2^50: the scores in ready of messages with keys begin here
local HELD = 4398046511103 -- due time of held messages (dq-put -d never), which nothing waits for
local ITEMS = 1000 -- most messages of a call
local REASON = 1000 -- most bytes of a reason
local MOST_TRIES = 4294967295
local HOLDER = 100 -- most bytes of a holder
-- Of a message whose header does not name them:
local TTR = 60000
local TRIES = 5
local PRIORITY = 100
local BACKOFF = '1000,10000,60000,600000'
local GUARD_MS = 500 -- from a time to its guard
local TELLS_MS = 10000 -- longer than a waiter sleeps, 5 to 6 s (common/waiting/waiter.c)
local LISTED_FOR = 3600000 -- ms
local NEW = 'new' -- the messages of a move are in no state yet (lib/move.lua)
local NO_TOKEN = '0' -- of a delivery that is settled (lib/try.lua)
