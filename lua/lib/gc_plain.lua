-- @include lib/plain_clock.lua
-- @include lib/plain_index.lua
-- gc_plain: a queue with messages in which nothing has to go: none has been dead for long enough, none can expire, and no
-- reserved id has had its time. Most queues are like that whenever dq-gc goes through all of them.

-- gc_plain(given, keep, limit, skip): the reply, or nil. Nothing is written.
local function gc_plain(given, keep, limit, skip)
  keep = whole(keep, 0, SPAN)
  if not keep or not whole(limit, 1, ITEMS) or not whole(skip, 0, WHOLE) then return nil end
  local now, up = plain_clock(given)
  local msg, _, _, _, dead, _, stat, _, _, settled, _, expiry = unpack(KEYS)
  if not now or up >= SPAN or not first_after(dead, now - keep) or not first_after(settled, now)
    or peek('ZCARD', expiry) ~= 0 or peek('HGET', stat, 'shards') ~= shards_told(given) then return nil end
  local left = peek('HLEN', msg)
  return type(left) == 'number' and left > 0 and {} or nil
end
