#!lua flags=allow-oom
-- ack: leased -> gone; or delayed or ready if a put has rescheduled it (lib/rescheduled.lua). An
-- ack after the end of the lease counts unless the message was taken again.
-- KEYS    see lib/keys.lua
-- ARGV    now  ms, '' = the server's clock
--         optional: =, and the result of all (lib/outcome.lua), at most 1,000 bytes
--         then for each receipt: id, token; at most 1,000
-- Reply   a letter a receipt, in order: d done, s stale, u no such message
-- Errors  DQTYPE, DQRANGE, DQCLOCK, NOPERM
-- @include lib/usual_shards.lua
-- @include lib/receipts.lua
-- @include lib/drop.lua
-- @include lib/counters.lua
local now_arg = ARGV[1]

-- ack(sure, first): see lib/usual.lua. ARGV has receipts from first on. The first pass
-- reads a result as a receipt, which is not valid.
local function ack(sure, first)
  local ids = receipts(first)
  local shards = usual_shards(now_arg, SPAN - 1)
  if not ids or shards == nil or peek('HGET', KEYS[STAT], 'shards') ~= shards then return nil end
  -- Less work than another field of stat.
  if not sure and peek('HEXISTS', KEYS[CONF], 'max-leased') ~= 0 then return nil end
  if not sure and string.find(#ids == 1 and ids[1] or table.concat(ids), '+', 1, true) then
    return nil -- one has a key
  end
  local entries, letters, valid = valid_receipts(ids, first)
  if not entries or not sure and valid < #ids then return nil end
  local done, rare, failing, n = {}, {}, {}, 0
  for i = 1, #ids do
    local entry = entries[i]
    if entry and (string.find(entry, '>', 1, true) or string.find(entry, 'u=', 1, true)) then
      rare[#rare + 1], rare[#rare + 2] = ids[i], entry -- perhaps rescheduled, or to stay reserved
    elseif entry then
      n = n + 1
      done[n] = ids[i]
      if string.find(entry, '<', 1, true) then failing[#failing + 1] = ids[i] end -- perhaps FIRST
    end
  end
  if n + #rare == 0 then return table.concat(letters) end
  -- One whose lease ended is ready again: its key loses a turn, also that of the messages without
  -- one.
  if not sure and #failing > 0 and peek('ZCARD', KEYS[TURN]) ~= 0 then return nil end
  local usual = #rare == 0 and (#failing == 0 or is_set(KEYS[FAILING]))
    and type(peek('HEXISTS', KEYS[MSG], '')) == 'number'
    and may('ZREM', KEYS[LEASED], '0') and may('HDEL', KEYS[MSG], '0')
    and may('HINCRBY', KEYS[STAT], '0', '0')
  if not (sure or usual) then return nil end
  local frees = sure and sure.frees_place()
  local refused = sure and (sure.denial({'ZCARD', 'ZREM', 'HDEL', 'HINCRBY'})
    or frees and sure.wake_denial() or sure.keys_denial()
    or #rare > 0 and (sure.denial({'ZADD', 'HSET'}) or sure.wake_denial()))
  if refused then return refused end
  local moved, now = 0, nil
  if #rare > 0 then moved, now = sure.end_rare(rare, done, failing) end
  if not drop(done, KEYS[LEASED], not sure, failing) then return nil end
  count('acked', #done + moved)
  if moved > 0 or frees then sure.wake(now or sure.clock(now_arg)) end
  return table.concat(letters)
end

local reply = ack(nil, 2)
if reply then return reply end
-- @include lib/try.lua
-- @include lib/sure.lua
-- @include lib/outcome.lua
local result = ARGV[2] == '=' and (ARGV[3] or '')
local from = result and 4 or 2

-- sure.end_rare(list, done, failing): of messages (id, entry, id, entry...): those that a put has
-- rescheduled go to their new places, the others are added to done (and failing), and ids that stay
-- reserved (lib/reserved.lua) and outcomes are noted. Returns how many were rescheduled, and the
-- time.
function sure.end_rare(list, done, failing)
  local now, up = clock(now_arg)
  local again, till, ends = {}, {}, {}
  for i = 1, #list, 2 do
    local id, try = list[i], try_parse(list[i + 1])
    local unique = number_field(try.header, 'u', 0)
    if try.again then
      again[#again + 1], again[#again + 2] = id, try
    else
      done[#done + 1] = id
      if try.first then failing[#failing + 1] = id end
      note_outcome(ends, id, try.header, 'done', tries_of(try), up, result or '')
      if unique > 0 then till[#till + 1], till[#till + 2] = up + unique, id end
    end
  end
  if #till > 0 then redis.call('ZADD', KEYS[SETTLED], unpack(till)) end
  keep_outcomes(ends)
  if #again > 0 then move_rescheduled(again, now) end
  return #again / 2, now
end

return refusal(now_arg, 'result', not result or #result <= REASON, 'receipts', (receipts(from)))
  or ack(sure, from)
