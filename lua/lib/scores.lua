-- @include lib/keys.lua
-- @include lib/constants.lua
-- @include lib/digits.lua
-- scores: priority and due time (ms, below 2^42) as one exact double.
--   delayed  due, plus a fraction of a ms that carries the priority: 0 for the usual 100,
--            ((priority - 100) mod 256) / 256 otherwise; so a message is promoted without reading
--            its body
--   ready    priority * 2^42 + due: most urgent first, then oldest due; and KEYED_FROM if it has a
--            key (lib/keyed.lua)

local function delayed_score(priority, due)
  return due + ((priority - 100) % 256) / 256
end

local function ready_score(priority, due)
  return priority * SPAN + due
end

-- home(priority, due, now): the state for this due time, and the score there.
local function home(priority, due, now)
  if due <= now then return KEYS[READY], ready_score(priority, due) end
  return KEYS[DELAYED], delayed_score(priority, due)
end

-- score_text(score): the score as text, which is fastest: Redis writes a number by %.17g, which is
-- slow.
local function score_text(score)
  return score % 1 == 0 and integer(score) or score
end
