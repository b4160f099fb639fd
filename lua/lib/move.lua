-- @include lib/usual.lua
-- move(to, scores, ids, from, probe, first, failing, begun): the one place where messages change
-- their state: into `to` (scores: score, id, score, id...), or out of all (nil); and then out of
-- all others, so that each is in one state, even if it was in two. Dead messages do not expire, and
-- are not tried again: they leave the indexes of expiries and of failing messages, too. If none is
-- ready any more, the mark of what is ready goes (lib/wake.lua). After a move to delayed or ready
-- the caller calls index_expiries.
-- from     the state that most likely has them all; NEW: none has them
-- probe    (to is nil) if they cannot be removed from `from`, nothing is done, and false is
--          returned; else true
-- first    so many: these are the first in `from`, and perhaps not all of them go to `to`
-- failing  the ids that may be in the index of failing messages; nil: all
-- begun    do their try entries stay? true, false, or a table of the ids whose do; nil: of those
--          that are there
local function move(to, scores, ids, from, probe, first, failing, begun)
  local n = first or #ids
  if n == 0 then return true end
  local m = with_keys and {to = to, scores = scores, ids = ids, n = n, from = from, begun = begun,
    picked = with_keys.picked, entries = with_keys.entries}
  if m and not with_keys.will_move(m) then m = nil end
  if to then redis.call('ZADD', to, unpack(scores)) end
  if m and from == NEW then with_keys.has_moved(m) end
  if from == NEW then return true end
  local removed = 0
  if first and n > 1 then
    redis.call('ZREMRANGEBYRANK', from, 0, n - 1)
  elseif from and from ~= to then
    removed = (probe and redis.pcall or redis.call)('ZREM', from, unpack(ids, 1, n))
    if type(removed) == 'table' then return false end
  end
  if m then
    with_keys.note_old(m, first and n > 1 or from ~= nil and (from == to or removed == n))
  end
  local waited = removed < n or from ~= KEYS[LEASED] and from ~= KEYS[DEAD]
  local unready = from == KEYS[READY] and from ~= to
  for place = DELAYED, DEAD do
    local other = KEYS[place]
    if other ~= to and other ~= from then
      -- A key of a foreign type, for which the usual pass does not look, has none of them.
      local twice = (n == 1 or peek('ZCARD', other) ~= 0)
        and peek('ZREM', other, unpack(ids, 1, n)) or 0
      if twice ~= 0 then waited, unready = true, unready or other == KEYS[READY] end
    end
  end
  if m then with_keys.has_moved(m) end
  if unready and peek('ZCARD', KEYS[READY]) == 0 then peek('ZREM', KEYS[WAKE], 'r') end
  if to and to ~= KEYS[DEAD] then return true end
  if waited then peek('ZREM', KEYS[EXPIRY], unpack(ids, 1, n)) end
  if failing then n = #failing elseif from == KEYS[DEAD] and not waited then n = 0 end
  if n > 0 then peek('ZREM', KEYS[FAILING], unpack(failing or ids, 1, n)) end
  return true
end
