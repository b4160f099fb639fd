-- @include lib/keys.lua
-- @include lib/scores.lua
-- read_scores: what the scores of delayed and ready say (lib/scores.lua). A score that is no time,
-- or no priority, which dq does not write, counts as the nearest one.

-- time_within(ms): the nearest valid time.
local function time_within(ms)
  return math.max(0, math.min(ms, SPAN - 1))
end

local function delayed_split(score)
  score = math.max(0, math.min(score, SPAN - 1 / 256))
  local due = math.floor(score)
  return ((score - due) * 256 + 100) % 256, due
end

-- ready_within(score): the nearest valid score of ready, with KEYED_FROM or without.
local function ready_within(score)
  return math.floor(math.max(0, math.min(score, 2 * KEYED_FROM - 1)))
end

local function ready_split(score)
  score = ready_within(score) % KEYED_FROM
  local priority = math.floor(score / SPAN)
  return priority, score - priority * SPAN
end

-- head_scores(state, ids, n, score): the scores of the first n messages of a state; ids are theirs,
-- and score, if known, that of the first, as text. Messages that were put or moved together have
-- one score. Redis takes longer to write a score (by %.17g) than to find a message: so it counts
-- how many have one.
local FEW = 4
local function head_scores(state, ids, n, score)
  local scores, i = {}, 1
  while i + FEW <= n do
    score = score or redis.call('ZSCORE', state, ids[i])
    local alike = redis.call('ZCOUNT', state, score, score)
    if alike < FEW then break end
    score = tonumber(score)
    for j = i, math.min(n, i + alike - 1) do scores[j] = score end
    i, score = i + alike, nil
  end
  if i > n then return scores end
  local rest = redis.call('ZRANGE', state, i - 1, n - 1, 'WITHSCORES')
  for j = 2, #rest, 2 do scores[i + j / 2 - 1] = tonumber(rest[j]) end
  return scores
end

-- up_to(now): the upper bound of a range by score that has all messages due now, with their
-- fractions.
local function up_to(now)
  return '(' .. integer(now + 1)
end
