-- keys: a queue's keys by part. Every script gets all of them, in the order of enum name_part
-- (common/base/name.h), and touches no other.
local key = {
  msg = KEYS[1], delayed = KEYS[2], ready = KEYS[3], leased = KEYS[4], dead = KEYS[5],
  try = KEYS[6], stat = KEYS[7], wake = KEYS[8], conf = KEYS[9], settled = KEYS[10],
  timer = KEYS[11], expiry = KEYS[12], guard = KEYS[13],
}
