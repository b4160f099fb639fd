#!lua
-- put: nothing -> delayed, or ready if the delay is 0. If the id exists, mode decides. Redis
-- refuses the whole call when its memory is full.
-- KEYS    see lib/keys.lua
-- ARGV    now       ms, '' = the server's clock
--         mode      if the id exists: fail keep replace earlier later move edit (lib/existing.lua);
--                   or repeat: the same put sent again after a lost connection, else as fail. With
--                   only- before replace and those after it: creates no message
--         priority  0-255, of all of them
--         expire    ms after now, '' = never; must be after the due time
--         when      due time of all of them: MS after now, or @MS since 1970; '' = each has its own
--         then for each message: id; when, if that was ''; record (see lib/record.lua; with expire,
--         what follows x=MS in it)
-- Reply   a letter a message, in order: n new, x the id exists, b likewise, and is dead (fail,
--         repeat), s the same message exists (repeat),
--         k kept as it was,
--         r replaced, e made earlier, l made later, m moved (a leased message: when its delivery
--         ends), p the payload changed, u no such message (only-).
--         A reserved id (lib/reserved.lua): v for fail and keep, ? for repeat (the acked message
--         may be this one); the
--         other modes put it. An expired message in delayed or ready counts as gone. Refused: o the
--         due time is out of
--         range, y it is not before the expiry (earlier, later, move: of the message or of the put,
--         the later one),
--         f the queue is full. Then, if one is f, / and max-len; and if the queue may not be
--         listed, a blank and the generation of its name: add the name to the list of queues with
--         it as the score, unless that is greater already, then call listed
-- Errors  DQTYPE, DQRANGE, DQCLOCK, NOPERM; all before anything is written
-- @include lib/usual_put.lua
local reply, there_at, armed, new_due = usual_put()
if reply then return reply end
-- @include lib/usual_change.lua
reply = there_at and usual_change(there_at, armed, new_due)
if reply then return reply end
-- @include lib/arguments.lua
-- @include lib/rights.lua
-- @include lib/counters.lua
-- @include lib/scores.lua
-- @include lib/batch_expiry.lua
-- @include lib/duplicates.lua
-- @include lib/new_outcome.lua
-- @include lib/listed.lua
-- @include lib/wake.lua
local SWEEP = 100
local refused = refusal(now_arg, 'mode', mode_fits, 'priority', priority, 'messages', batch,
  'id', ids_fit, 'record', records_fit)
if refused then return refused end
local now, up, us = clock(now_arg)
local dies = expire ~= '' and expiry_at(expire, up) or nil
if expire ~= '' and not dies then return redis.error_reply('DQRANGE the expiry is out of range') end
if dies and not batch.dies then set_expiry(batch, dies) end

-- The rights to change or replace a message, and to read reserved ids, are needed only by a put
-- that does so.
local function replace_denial() return denial({'ZSCORE', 'ZREM', 'HDEL'}) end

local of_reserved = not changes and (mode == 'repeat' and '?' or 'v') -- the letter
local reserved = redis.call('ZCARD', KEYS[SETTLED]) > 0
local denied = denial({'HSET', 'ZADD', 'HINCRBY', 'HEXISTS', 'HGET', 'ZCARD', 'ZRANGE'})
  or changes and replace_denial() or reserved and denial({'ZSCORE'})
  or limited_by('m') and denial({'HLEN'})
  or batch.keyed and (denial({'HMGET'}) or places_denial())
if denied then return denied end

if batch.keyed then begin_keys(true) end
local puts, most = 0, setting_limit('max-len', 'm', 0)
local room = most and most - redis.call('HLEN', KEYS[MSG]) or EVER

-- put_all(): puts all at once if all are new, which is usual and faster. Else nil, and nothing is
-- written.
local function put_all()
  if batch.n == 1 or only or room < batch.n or not batch.ascending and any_twice(batch)
    or any_there(batch) then return nil end
  if reserved and of_reserved and any_reserved(batch.ids, batch.n, now) then return nil end
  local earliest, delayed, ready = index_entries(batch, priority, now, up)
  if not earliest then return nil end
  put_new(delayed, ready, 1, batch.n)
  puts = batch.n
  return string.rep('n', batch.n)
end

-- put_one_new(i, due): nothing -> delayed or ready.
local function put_one_new(i, due)
  if room < 1 then return 'f' end
  local state, score = home(priority, due, now)
  local entry = {score_text(score), batch.ids[i]}
  put_new(state == KEYS[DELAYED] and entry, state == KEYS[READY] and entry, i, i)
  puts, room = puts + 1, room - 1
  return 'n'
end

-- put_each_one(i): its letter; or nil and the error, and nothing is written, if the caller may not
-- replace the only message.
local function put_each_one(i)
  local id, due = batch.ids[i], due_of(batch.common or batch.whens[i], now, up)
  if not due then return 'o' end
  if dies and dies <= due then return 'y' end
  local there = redis.call('HGET', KEYS[MSG], id)
  local m = {due = due, record = batch.fields[2 * i], priority = priority, there = there}
  if not there then
    return reserved and of_reserved and is_reserved(id, now) and of_reserved
      or only and 'u' or put_one_new(i, due)
  end
  local may_not = batch.n == 1 and expired_by(header_of(there), now) and replace_denial()
  if may_not then return nil, may_not end
  if not has_expired(id, there, now) then return existing[mode](id, m, now) end
  if only then return 'u' end
  if room < 0 then return 'f' end -- the expired one is in the number
  existing.replace(id, m, now)
  count('expired', 1)
  puts = puts + 1
  return 'n'
end

-- put_each(): puts one after the other. Returns their letters; or nil and the error, and nothing is
-- written.
local function put_each()
  local may_not, letters = batch.n > 1 and replace_denial(), {}
  if may_not and any_expired(batch, now) then return nil, may_not end
  for i = 1, batch.n do
    letters[i], may_not = put_each_one(i)
    if may_not then return nil, may_not end
  end
  return table.concat(letters)
end

local letters = put_all()
if not letters then letters, denied = put_each() end
if denied then return denied end
count('put', puts)
count('rescheduled', select(2, string.gsub(letters, '[relm]', '')))
begin_outcomes(batch.ids, letters, batch.keeps, reserved)
-- A refused put does not create the queue.
local unlisted = string.find(letters, '[^ouyf?]') and not listed_at(now)
  and (generation() or integer(us))
if reserved and may_free() then free_reserved(now, SWEEP) end
if unlisted then redis.call('HSET', KEYS[STAT], 'generation', unlisted) end
if string.find(letters, '[nrelm]') then wake(now) end
local full = string.find(letters, 'f', 1, true) and '/' .. integer(most) or ''
return letters .. full .. (unlisted and ' ' .. unlisted or '')
