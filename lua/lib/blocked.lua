-- @include lib/turn.lua
-- blocked: why nothing of a key is delivered; enum key_blocked (common/queue/limit.h).
local NOT_BLOCKED, BY_LIMIT, BY_DEAD, BY_PAUSE, BY_RETRY, NOT_SEEN = 0, 1, 2, 3, 4, 5

-- blocked_by(key): of a key that has ready messages. A limit counts what is leased; with
-- keys=serial a message that has begun and waits for its next try is the first. NOT_SEEN: takes or
-- promotes still look for dead messages, which may stop it.
local function blocked_by(key)
  if room(key, 1) > 0 then return NOT_BLOCKED end
  if stops() and within(key, ' A ', ' A!', 0, 1)[1] then return BY_DEAD end
  if key_is_paused(key) then return BY_PAUSE end
  if seeks_dead() then return NOT_SEEN end
  local waits = limited_by('s') and not within(key, ' L ', ' L!', 0, 1)[1]
  return waits and BY_RETRY or BY_LIMIT
end
