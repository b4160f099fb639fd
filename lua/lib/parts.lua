-- @include lib/keys.lua
-- parts: the keys by the names of their parts, for scripts that are told a part.
local key = {
  msg = KEYS[MSG], delayed = KEYS[DELAYED], ready = KEYS[READY], leased = KEYS[LEASED],
  dead = KEYS[DEAD], try = KEYS[TRY], stat = KEYS[STAT], wake = KEYS[WAKE], conf = KEYS[CONF],
  settled = KEYS[SETTLED], timer = KEYS[TIMER], expiry = KEYS[EXPIRY], guard = KEYS[GUARD],
  failing = KEYS[FAILING], begun = KEYS[BEGUN], outcome = KEYS[OUTCOME], keyed = KEYS[KEYED],
  turn = KEYS[TURN],
}
