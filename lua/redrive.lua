#!lua flags=allow-oom
-- redrive: dead -> ready, with all tries. An expiry that has passed is cleared: the next take would
-- drop the message. If it stopped its key (keys=serial,stop) it is the next of it: it has begun, so
-- it keeps a try entry, whose reason makes a dump keep that.
-- KEYS    see lib/keys.lua
-- ARGV    now  ms, '' = the server's clock
--         then ids; at most 1,000
-- Reply   a letter an id, in order: d ready, s not dead, u no such message
-- Errors  DQTYPE, DQRANGE, DQCLOCK, NOPERM
-- @include lib/keys.lua
-- @include lib/arguments.lua
-- @include lib/rights.lua
-- @include lib/clock.lua
-- @include lib/scores.lua
-- @include lib/record.lua
-- @include lib/try.lua
-- @include lib/state.lua
-- @include lib/key_of.lua
-- @include lib/plan.lua
-- @include lib/counters.lua
-- @include lib/wake.lua
local now_arg = ARGV[1]
local FIRST = 2

local refused = refusal(now_arg, 'ids', items(FIRST, 1))
if refused then return refused end
local denied = denial({
  'HSET', 'HGET', 'ZSCORE', 'ZADD', 'ZREM', 'HDEL', 'HINCRBY', 'ZCARD', 'ZRANGE',
}) or keys_denial()
if denied then return denied end
local now = clock(now_arg)
local letters, plan, seen, expired, entries, begun, others = {}, {}, {}, {}, {}, {}, {}
local stops = with_keys and limited_by('d')

-- note_entry(id, try, header): of a message that is the next of its key then, or of another one.
local function note_entry(id, try, header)
  if not (stops and key_of(id)) then
    others[#others + 1] = id
    return
  end
  local reason = try and try.reason ~= '' and try.reason or 'failed or buried'
  local entry = {tries = 0, token = NO_TOKEN, due = try and try.due or now, header = header,
    reason = reason}
  entries[#entries + 1], entries[#entries + 2], begun[id] = id, entry_text(entry), true
end

for i = FIRST, #ARGV do
  local id = ARGV[i]
  if redis.call('HEXISTS', KEYS[MSG], id) == 0 then
    letters[#letters + 1] = 'u'
  elseif seen[id] or not redis.call('ZSCORE', KEYS[DEAD], id) then
    letters[#letters + 1] = 's'
  else
    local try = try_of(id)
    local header = try and try.header or header_of(redis.call('HGET', KEYS[MSG], id))
    local has_expired = expired_by(header, now)
    plan_add(plan, KEYS[READY], ready_score(number_field(header, 'p', PRIORITY), now), id,
      not has_expired and header)
    if has_expired then
      expired[#expired + 1], header = id, header_of(with_expiry(header .. '\n', nil))
    end
    note_entry(id, try, header)
    letters[#letters + 1], seen[id] = 'd', true
  end
end
for _, id in ipairs(expired) do -- one at a time: payloads may be large
  redis.call('HSET', KEYS[MSG], id, with_expiry(redis.call('HGET', KEYS[MSG], id), nil))
end
local ready = plan_count(plan, KEYS[READY])
if ready > 0 then
  move_plan(plan, entries, KEYS[DEAD], begun)
  if #others > 0 then redis.call('HDEL', KEYS[TRY], unpack(others)) end
  count('redriven', ready)
  wake(now)
end
return table.concat(letters)
