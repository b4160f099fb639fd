-- @include lib/keys.lua
-- @include lib/usual.lua
-- @include lib/digits.lua
-- @include lib/items.lua
-- @include lib/number.lua
-- @include lib/when.lua
-- batch: the messages of one put, in order. `n` is their number; `ids`; `fields` has the arguments
-- of HSET: id, record, id, record...; `whens` has a due time for each, or is empty if all have
-- `common`. Sizes are counted, because # is slow.

-- read_batch(from, common): reads ARGV from that place on; nil if a message is incomplete, or there
-- are too many. If common is '', each message has its own time.
local function read_batch(from, common)
  local width = common == '' and 3 or 2
  if not items(from, width) then return nil end
  local argv, ids, fields, whens, n = ARGV, {}, width == 2 and {unpack(ARGV, from)} or {}, {}, 0
  for i = from, #argv, width do
    n = n + 1
    ids[n] = argv[i]
    if width == 3 then
      whens[n], fields[2 * n - 1], fields[2 * n] = argv[i + 1], argv[i], argv[i + 2]
    end
  end
  return {n = n, ids = ids, fields = fields, whens = whens, common = width == 2 and common or nil}
end

-- ids_valid(batch): every other script relies on this check. One search in all ids takes half of
-- the time of one per id. Sets `ascending`: the ids of one dq-put ascend, and ascending ids have no
-- duplicates; and `keyed`: one of them has a key.
local function ids_valid(batch)
  local ids, ascending, last = batch.ids, true, ''
  for i = 1, batch.n do
    local id = ids[i]
    if id == '' or #id > 128 then return false end
    ascending = ascending and last < id
    last = id
  end
  batch.ascending = ascending
  local text = table.concat(ids)
  -- The first is faster.
  if string.find(text, '^%w+$') or string.find(text, '^[%w._:-]+$') then return true end
  -- @include lib/is_id.lua
  for i = 1, batch.n do
    if not is_id(ids[i]) then return false end
  end
  batch.keyed = true
  return true
end

-- records_valid(batch, first): every other script relies on it. first: what a header begins with (a
-- pattern). Most batches have one header. Sets `own_expiry`: one of the headers names an expiry,
-- and `keeps`: one may have k=1.
local function records_valid(batch, first)
  local sub, fields, last, is_valid = string.sub, batch.fields, '\n', nil -- last: with its LF
  for i = 2, 2 * batch.n, 2 do
    if sub(fields[i], 1, #last) ~= last then
      last = string.match(fields[i], '^[^\n]*\n')
      if not is_valid then
        -- @include lib/header.lua
        is_valid = header_valid
      end
      if not (last and string.find(last, first) and is_valid(sub(last, 1, -2))) then
        return false
      end
      batch.own_expiry = batch.own_expiry or string.find(last, 'x=', 1, true)
      batch.keeps = batch.keeps or string.find(last, 'k=', 1, true)
    end
  end
  return true
end

-- index_entries(batch, priority, now, up): the earliest due time in delayed (ms, math.huge: none);
-- then the entries (score, id, score, id...) for delayed, and for ready; nil: none. nil alone if a
-- due time is invalid. The score is that of home() (lib/scores.lua), made with fewer calls: each
-- message may have a due time of its own.
local function index_entries(batch, priority, now, up)
  local ids, whens, common, dies = batch.ids, batch.whens, batch.common, batch.dies
  local fraction, earliest = (priority - PRIORITY) % 256 / 256, math.huge
  local last, score, later, delayed, ready
  local d, r = 0, 0
  for i = 1, batch.n do
    local when = common or whens[i]
    if when ~= last then
      local due = due_of(when, now, up)
      if not due or dies and dies <= due then return nil end
      last, later = when, due > now
      if later then
        delayed, earliest = delayed or {}, math.min(earliest, due)
        score = fraction == 0 and integer(due) or due + fraction
      else
        ready, score = ready or {}, integer(priority * SPAN + due)
      end
    end
    if later then
      delayed[d + 1], delayed[d + 2], d = score, ids[i], d + 2
    else
      ready[r + 1], ready[r + 2], r = score, ids[i], r + 2
    end
  end
  return earliest, delayed, ready
end
