-- @include lib/usual_clock.lua
-- @include lib/batch.lua
-- @include lib/move.lua
-- @include lib/marks.lua
-- @include lib/counters.lua
-- usual_put: the arguments of a put, and the usual put, which has one message.
local now_arg, priority, expire = ARGV[1], whole(ARGV[3], 0, 255), ARGV[4]
local only = string.sub(ARGV[2] or '', 1, 5) == 'only-'
local mode = only and string.sub(ARGV[2], 6) or ARGV[2]
local changes = mode ~= 'fail' -- what exists
  and (mode == 'replace' or mode == 'earlier' or mode == 'later' or mode == 'move'
    or mode == 'edit')
local mode_fits = changes or not only and (mode == 'fail' or mode == 'keep' or mode == 'repeat')
local batch = read_batch(6, ARGV[5])
local ids_fit = batch and ids_valid(batch)
-- The expiry goes in front.
local records_fit = batch and records_valid(batch, expire == '' and '^[%a\n]' or '^[ \n]')

-- put_new(delayed, ready, from, to): nothing -> delayed or ready, of these messages of the batch;
-- their entries: see index_entries.
local function put_new(delayed, ready, from, to)
  redis.call('HSET', KEYS[MSG], unpack(batch.fields, 2 * from - 1, 2 * to))
  local ids = from < to and batch.ids or {batch.ids[from]} -- all, or one
  if delayed then move(KEYS[DELAYED], delayed, ids, NEW) end
  if ready then move(KEYS[READY], ready, ids, NEW) end
  if batch.dies or batch.own_expiry then
    -- @include lib/batch_expiry.lua
    index_batch(batch, from, to)
  end
end

-- usual_put(): the usual put, of one message without k=1 into a listed queue without reserved ids;
-- or nil. Then, if the message exists: the time, stat.armed and its new due time, for usual_change.
local function usual_put()
  local now, up, _, armed, listed_at = usual_clock(now_arg, false, 'listed')
  local listed = tonumber(listed_at or nil)
  local usual = now and mode_fits and priority and records_fit and ids_fit
    and batch.n == 1 and not batch.keeps and not batch.keyed
    and listed and listed <= now and now - listed < LISTED_FOR
    and peek('ZCARD', KEYS[SETTLED]) == 0
  if not usual then return nil end
  if expire ~= '' then
    -- @include lib/batch_expiry.lua
    local dies = expiry_at(expire, up)
    if not dies then return nil end
    set_expiry(batch, dies)
  end
  local earliest, delayed, ready = index_entries(batch, priority, now, up)
  local there = earliest and peek('HEXISTS', KEYS[MSG], batch.ids[1])
  if there == 1 then return nil, now, armed, due_of(batch.common or batch.whens[1], now, up) end
  if there ~= 0 or only then return nil end

  local marks = usual_marks(armed, now, earliest, ready)
  local allowed = may('HSET', KEYS[MSG], '0', '0') and may('ZADD', KEYS[READY], '0', '0')
    and may('HINCRBY', KEYS[STAT], '0', '0')
  local expires = batch.dies or batch.own_expiry
  usual = marks and allowed and is_set(KEYS[ready and READY or DELAYED])
    and (not expires or is_set(KEYS[EXPIRY]))
  if not usual then return nil end
  put_new(delayed, ready, 1, 1)
  add('put', 1)
  add_marks(marks, now)
  return 'n'
end
