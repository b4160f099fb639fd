#!lua
-- load: nothing -> the state in which dq-dump found the message. The same load again changes
-- nothing. Redis refuses the
-- whole call when its memory is full.
-- KEYS    see lib/keys.lua
-- ARGV    now   ms, '' = the server's clock
--         mode  if the id is that of another message, or reserved: fail keep replace
--         claim  the number of the load, if it began the queue: lib/claim.lua; else 0
--         then for each item: id, place, record. The place of a message (its record:
--         lib/record.lua) is
--           due MS TRIES DUE AGAIN [FIRST[*FAILED]] LF REASON
--                                                        ready if MS has come, else delayed. TRIES:
--           as take. DUE: of the last delivery; -1 = none. FIRST, FAILED: as in lib/try.lua
--           leased MS TRIES DUE AGAIN ...                until MS; no receipt is valid. AGAIN: due
--           after it, if rescheduled; or -1
--           dead MS TRIES DUE AGAIN ...                  since MS
--         reserved MS [LF OUTCOME]  the id is reserved until MS, with that outcome
--         (lib/outcome.lua); record is not used
--         Each of these is alone in its call; id and record are not used (lib/edges.lua):
--         begin TOKEN DUMP       of that dump, a number: the queue is paused. Tokens become greater
--         than TOKEN
--         end TOKEN DUMP PAUSED  of it: the queue is no longer paused for that, but for good if
--         PAUSED is 1
--         free TOKEN DUMP        it was not loaded whole: the queue stays paused, and another dump
--         may be loaded
-- Reply   a letter an item, in order: n loaded, s the same message exists (reserved: as long, or
--         a message has the id; begin, end: that dump was loaded whole: send nothing more of it),
--         r replaced; not loaded: x another message has the id, k likewise (keep), v the id is
--         reserved. Then, if the queue may not be listed, a blank and the generation of its name:
--         see put
-- Errors  DQTYPE, DQRANGE, DQCLOCK, DQHELD, DQOVER, DQGONE, NOPERM; all before anything is written
-- @include lib/loads.lua
-- @include lib/existing.lua
-- @include lib/plan.lua
-- @include lib/reserved.lua
-- @include lib/new_outcome.lua
-- @include lib/counters.lua
-- @include lib/listed.lua
-- @include lib/wake.lua
-- @include lib/edges.lua
local now_arg, mode, claim, FIRST = ARGV[1], ARGV[2], whole(ARGV[3], 0, WHOLE), 4
local OTHER = ({fail = 'x', keep = 'k', replace = 'r'})[mode]
local loads, wrong = read_loads(FIRST)
local is_edge = loads and READ[loads[1].word] == read_edge

local refused = refusal(now_arg, 'mode', OTHER, wrong, loads,
  'claim', claim and (claim > 0 or not is_edge))
if refused then return refused end
claim = integer(claim)
if is_edge then
  refused = edge_refusal(loads[1], claim)
elseif claim ~= '0' then
  refused = claim_lost(claim)
end
refused = refused or denial({
  'HSET', 'HGET', 'HEXISTS', 'HDEL', 'HINCRBY', 'ZADD', 'ZREM', 'ZSCORE', 'ZCARD', 'ZRANGE',
}) or loads.keyed and places_denial()
if refused then return refused end
local now, _, us = clock(now_arg)
if loads.keyed then begin_keys(true) end
local any_reserved_id = redis.call('ZCARD', KEYS[SETTLED]) > 0
local plan, fields, entries, begun, without, replaced, seen, puts = {}, {}, {}, {}, {}, {}, {}, 0

-- write(): writes the plan.
local function write()
  if #fields == 0 then return end
  forget_expiries(replaced)
  forget_failing(replaced)
  redis.call('HSET', KEYS[MSG], unpack(fields))
  move_plan(plan, entries, nil, begun)
  if #without > 0 then redis.call('HDEL', KEYS[TRY], unpack(without)) end
  count('put', puts)
  plan, fields, entries, begun, without, replaced, seen, puts = {}, {}, {}, {}, {}, {}, {}, 0
end

-- prepare(m, there): plans the message, over the record that is there.
local function prepare(m, there)
  local header = header_of(m.record)
  local state, score = KEYS[m.word == 'leased' and LEASED or DEAD], m.at
  if m.word == 'due' then state, score = home(number_field(header, 'p', PRIORITY), m.at, now) end
  fields[#fields + 1], fields[#fields + 2] = m.id, m.record
  plan_add(plan, state, score, m.id, m.word == 'due' and header)
  if m.word == 'leased' or m.due >= 0 or m.tries > 0 or m.back or m.since or m.reason ~= '' then
    local anew = m.word == 'due' and m.tries == 0 and m.since and HELD -- rescheduled
    local try = {tries = m.tries, back = m.back, token = NO_TOKEN, header = header,
      due = m.due >= 0 and m.due or anew or math.min(m.at, HELD - 1), since = m.since,
      failed = m.failed, reason = m.reason}
    if m.again >= 0 then try.again = m.again end
    if m.since and m.word ~= 'dead' and does_fail(try, failures(try, m.word == 'leased')) then
      fails(try)
      plan_fails(plan, state, try, nil)
    end
    entries[#entries + 1], entries[#entries + 2] = m.id, entry_text(try)
    begun[m.id] = has_begun_by(entries[#entries])
  elseif there then
    without[#without + 1] = m.id
  end
  if there then replaced[#replaced + 1] = m.id end
  seen[m.id] = true
end

local load = {}

function load.due(m)
  if seen[m.id] then write() end
  local there = redis.call('HGET', KEYS[MSG], m.id)
  local letter = there and OTHER or 'n'
  if mode ~= 'replace' then
    if there == m.record then return 's' end
    if there and has_expired(m.id, there, now) then letter = 'n' end
    if not there and any_reserved_id and is_reserved(m.id, now) then letter = 'v' end
    if letter ~= 'n' then return letter end
    if there then count('expired', 1) end
  end
  prepare(m, there)
  if any_reserved_id then free({m.id}) end
  puts = puts + (letter == 'n' and 1 or 0)
  return letter
end
load.leased, load.dead = load.due, load.due

-- A message counts more: it was dumped before it ended, and its end is still to come.
function load.reserved(m)
  if seen[m.id] or redis.call('HEXISTS', KEYS[MSG], m.id) == 1 then return 's' end
  local new = reserve(m.id, m.till, m.outcome, now)
  any_reserved_id = any_reserved_id or new
  return new and 'n' or 's'
end

load.begin, load['end'], load.free = do_edge, do_edge, do_edge

local letters = {}
for i, m in ipairs(loads) do letters[i] = load[m.word](m, claim, now) end
write()
letters = table.concat(letters)
count('rescheduled', select(2, string.gsub(letters, 'r', '')))
if loads.keeps and string.find(letters, '[nr]') then
  redis.call('HSET', KEYS[STAT], 'keeps', '1')
end
local unlisted = not listed_at(now) and (generation() or integer(us))
if unlisted then redis.call('HSET', KEYS[STAT], 'generation', unlisted) end
if string.find(letters, '[nr]') then wake(now) end
return unlisted and letters .. ' ' .. unlisted or letters
