-- @include lib/plain_clock.lua
-- @include lib/plain_marks.lua
-- @include lib/plain_index.lua
-- promote_plain: a queue in which nothing is due or ready and nothing can expire, no lease has expired, and the next move, if
-- there is one, has its mark. dq-promote without operands finds most queues in this state.

-- promote_plain(now_arg, limit, held): the reply, or nil. Nothing is written.
local function promote_plain(now_arg, limit, held)
  if (held or '') ~= '' or not whole(limit, 1, WHOLE) then return nil end
  local now, _, us = plain_clock(now_arg)
  local msg, delayed, ready, leased, _, _, stat, _, _, _, _, expiry = unpack(KEYS)
  if not now or now >= SPAN or peek('ZCARD', ready) ~= 0 then return nil end
  local due = first_after(delayed, now)
  local lease = due and first_after(leased, now)
  if not lease or peek('ZCARD', expiry) ~= 0 then return nil end
  local at = math.min(due, lease)
  local known = peek('HMGET', stat, 'armed', 'shards')
  if known[2] ~= known_shards(now_arg) then return nil end
  local none = at == math.huge
  if type(peek('HEXISTS', msg, '')) ~= 'number' then return nil end
  if not none and (at >= SPAN or not time_stands(whole(known[1] or 0, 0, WHOLE), now, at)) then return nil end
  return {us, 0, 0, 0, 0, none and -1 or at, 0}
end
