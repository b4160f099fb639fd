-- @include lib/usual.lua
local NEW = 'new'

-- move(to, scores, ids, from, alone, first): the one place where messages change their state: into `to` (scores: score, id, score,
-- id...), or out of all (nil); and then out of the others. Dead messages do not expire: they leave the index of expiries, too. After
-- a move to delayed or ready the caller calls index_expiries.
-- from   the state that most likely has them all; the rest is asked only if it had fewer. NEW: none has them
-- alone  if one message, which is to leave all states, is not in `from`, or the caller may not remove it: nothing is done, and false
--        is returned; else true
-- first  so many: these are the first in `from`, and perhaps not all of them go to `to`
local function move(to, scores, ids, from, alone, first)
  if #ids == 0 then return true end
  if to then redis.call('ZADD', to, unpack(scores)) end
  if first then redis.call('ZREMRANGEBYRANK', from, 0, first - 1) end
  if from == NEW or from == to and to or first then return true end
  local removed = from and (alone and redis.pcall or redis.call)('ZREM', from, unpack(ids))
  if alone and #ids == 1 and removed ~= 1 then return false end
  local all = removed == #ids
  for place = DELAYED, all and 0 or DEAD do
    local other = KEYS[place]
    if other ~= to and other ~= from then redis.call('ZREM', other, unpack(ids)) end
  end
  if (to == nil or to == KEYS[DEAD]) and not (all and (from == KEYS[LEASED] or from == KEYS[DEAD])) then
    redis.call('ZREM', KEYS[EXPIRY], unpack(ids))
  end
  return true
end

-- usual_move(to, ids): may they be moved out of leased, with no key of a foreign type in the way? One that is not leased is rare.
-- Where one leaves all states, move looks (`alone`).
local function usual_move(to, ids)
  if to and not is_set(to) then return false end
  if #ids == 1 then return not to or type(peek('ZSCORE', KEYS[LEASED], ids[1])) == 'string' end
  return is_set(KEYS[LEASED]) and is_set(KEYS[READY]) and is_set(KEYS[DELAYED]) and is_set(KEYS[DEAD]) and is_set(KEYS[EXPIRY])
end
