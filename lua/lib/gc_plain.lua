-- @include lib/plain_clock.lua
-- @include lib/plain_index.lua
-- gc_plain: a queue with messages in which nothing has to be removed: none has been dead for long enough, none can expire, and
-- the time of no reserved id is over. dq-gc without operands finds most queues in this state.

-- gc_plain(now_arg, keep, limit, skip): the reply, or nil. Nothing is written.
local function gc_plain(now_arg, keep, limit, skip)
  keep = whole(keep, 0, SPAN)
  if not keep or not whole(limit, 1, ITEMS) or not whole(skip, 0, WHOLE) then return nil end
  local now, up = plain_clock(now_arg)
  local msg, _, _, _, dead, _, stat, _, _, settled, _, expiry = unpack(KEYS)
  if not now or up >= SPAN or not first_after(dead, now - keep) or not first_after(settled, now)
    or peek('ZCARD', expiry) ~= 0 or peek('HGET', stat, 'shards') ~= known_shards(now_arg) then return nil end
  local left = peek('HLEN', msg)
  return type(left) == 'number' and left > 0 and {} or nil
end
