-- @include lib/keys.lua
-- hint: tools that wait for a message (dq-wait) are subscribed to its own channel, so an end wakes
-- only those that wait for it: OUTCOME:ID, where OUTCOME is the name of that key. The text is
-- empty: they ask what has become of the message. No hint is stored, and a lost one costs them some
-- seconds. Without the right to SPUBLISH there are none: that is no reason to refuse an end.

-- hint(ids, step): of the first one and each step-th after it.
local function hint(ids, step)
  if not ids[1] then return end
  local channel = KEYS[OUTCOME] .. ':'
  local known, allowed = pcall(redis.acl_check_cmd, 'SPUBLISH', channel .. ids[1], '')
  if not (known and allowed) then return end
  for i = 1, #ids, step do redis.pcall('SPUBLISH', channel .. ids[i], '') end
end
