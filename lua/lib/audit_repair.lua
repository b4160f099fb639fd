-- @include lib/keys.lua
-- @include lib/read_scores.lua
-- @include lib/record.lua
-- @include lib/state.lua
-- @include lib/move.lua
-- @include lib/expiry.lua
-- @include lib/failing.lua
-- @include lib/try.lua
-- @include lib/key_pause.lua
-- @include lib/limits.lua
-- @include lib/key_of.lua
-- @include lib/begin_keys.lua
-- audit_repair: counts for an audit, and its repair of a message that no take finds, or that nobody
-- can settle.
local WALKED = {leased = true, ready = true, delayed = true, dead = true, try = true,
  failing = true, expiry = true, outcome = true, keyed = true, msg = true, all = true}

local function make_ready(id, header, now)
  begin_keys(key_of(id) ~= nil) -- also if what says that there are keys was lost
  move(KEYS[READY], {ready_score(number_field(header, 'p', PRIORITY), now), id}, {id}, KEYS[LEASED])
  local expiries = {}
  note_expiry(expiries, id, header)
  index_expiries(expiries)
end

-- score_fault(id, state, score, now, repair): the fault of a score that is no time, or no priority,
-- or nil; and the score, which a repair makes valid: the nearest one; or what should be over is so
-- now.
local function score_fault(id, state, score, now, repair)
  local most = state == KEYS[READY] and 2 * KEYED_FROM or SPAN
  local least = state == KEYS[DELAYED] and 1 / 256 or 1
  local in_range = score >= 0 and score < most
  if in_range and score % least == 0 then return nil, score end
  if repair then
    local header = header_of(redis.call('HGET', KEYS[MSG], id))
    local priority = number_field(header, 'p', PRIORITY)
    if state == KEYS[DELAYED] then
      score = delayed_score(priority, time_within(math.floor(score)))
    elseif in_range then
      score = math.floor(score)
    else
      score = state == KEYS[READY] and ready_score(priority, now) or now
    end
    redis.call('ZADD', state, score_text(score), id)
  end
  return 'wrong score', score
end

local function forget_entry(id)
  redis.call('HDEL', KEYS[TRY], id)
  forget_failing({id})
end

-- try_fault(id, entry, repair): the fault of an entry of try, or nil.
local function try_fault(id, entry, repair)
  if redis.call('HEXISTS', KEYS[MSG], id) == 0 then
    if repair then forget_entry(id) end
    return 'no body'
  end
  if not failing_agrees(id, try_parse(entry).first, repair) then return 'wrong age' end
end

-- outcome_fault(id, repair): the fault of an entry of outcome, or nil.
local function outcome_fault(id, repair)
  if redis.call('ZSCORE', KEYS[SETTLED], id) then return nil end
  if repair then redis.call('HDEL', KEYS[OUTCOME], id) end
  return 'not reserved'
end

-- limits_fault(repair): the fault of stat.limits, or of stat.key_pause, or nil. Without it, or with
-- another one, a limit would not be kept, or the pause of a key would not end.
local function limits_fault(repair)
  local _, _, n, first = key_pauses(0)
  local pause = first < EVER and integer(first)
  if limits() == limits_of_conf(n > 0)
    and redis.call('HGET', KEYS[STAT], 'key_pause') == pause then return nil end
  if repair then note_key_pauses() end
  return 'wrong limits'
end

-- indexed_in_all(): how many there are in the indexes of all states.
local function indexed_in_all()
  local n = 0
  for _, state in ipairs(states()) do n = n + redis.call('ZCARD', state) end
  return n
end

-- is_small(size): are there at most so many entries in all keys but msg?
local function is_small(size)
  return indexed_in_all() + redis.call('HLEN', KEYS[TRY]) + redis.call('HLEN', KEYS[OUTCOME])
    + redis.call('ZCARD', KEYS[KEYED]) <= size
end
