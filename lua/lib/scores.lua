-- @include lib/clock.lua
-- scores: how priority and due time (ms, below 2^42) make one exact double.
--   delayed  due, plus a fraction of a ms that carries the priority: 0 for the usual 100,
--            ((priority - 100) mod 256) / 256 otherwise; so moving a message needs no look at its body
--   ready    priority * 2^42 + due: most urgent first, then oldest due
local SPAN = 4398046511104

local function delayed_score(priority, due)
  return due + ((priority - 100) % 256) / 256
end

local function delayed_split(score)
  local due = math.floor(score)
  return ((score - due) * 256 + 100) % 256, due
end

local function ready_score(priority, due)
  return priority * SPAN + due
end

local function ready_split(score)
  local priority = math.floor(score / SPAN)
  return priority, score - priority * SPAN
end

-- score_text(score): what is cheapest to give to Redis, which would write a number by %.17g.
local function score_text(score)
  return score % 1 == 0 and integer(score) or score
end
