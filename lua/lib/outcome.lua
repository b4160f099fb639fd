-- @include lib/keys.lua
-- @include lib/constants.lua
-- @include lib/digits.lua
-- @include lib/record.lua
-- @include lib/rights.lua
-- @include lib/try.lua
-- @include lib/hint.lua
-- outcome: what became of a message that was put with k=1 in its header. It is kept while the id is
-- reserved: for u ms after the end. The hash outcome has for the id
--   WHAT TRIES TIME, LF, text
-- WHAT: done, dead or removed. TRIES: as in replies. TIME: of the end (ms). text: the result of a
-- done message, else the last reason. An outcome is written after its reservation and removed
-- before it: if an error ends the script in between, no outcome stays for ever. A message with the
-- same id counts more than an outcome. stat.keeps is 1 once a message was put with k=1: other
-- queues pay nothing.

-- kept_for(header): ms; nil: its outcome is not kept.
local function kept_for(header)
  local unique = number_field(header, 'k', 0) == 1 and number_field(header, 'u', 0) or 0
  return unique > 0 and unique or nil
end

-- note_outcome(ends, id, header, what, tries, at, text): adds it to the list for keep_outcomes, if
-- it is to be kept.
local function note_outcome(ends, id, header, what, tries, at, text)
  local ms = kept_for(header)
  if not ms then return end
  local i = #ends
  ends[i + 1], ends[i + 2], ends[i + 3] = id, integer(math.min(at + ms, SPAN - 1)),
    what .. ' ' .. tries .. ' ' .. integer(at) .. '\n' .. string.sub(text, 1, REASON)
end

-- keep_outcomes(ends): writes those that note_outcome added, and wakes those that wait for them.
local function keep_outcomes(ends)
  for i = 1, #ends, 3 do
    redis.call('ZADD', KEYS[SETTLED], ends[i + 1], ends[i])
    redis.call('HSET', KEYS[OUTCOME], ends[i], ends[i + 2])
  end
  hint(ends, 3)
end

-- keeps_outcomes(): may a message of this queue have k=1?
local keeps
local function keeps_outcomes()
  if keeps == nil then keeps = redis.call('HGET', KEYS[STAT], 'keeps') == '1' end
  return keeps
end

-- keep_gone(ids, now, reason, by_name): the outcomes of messages that are about to go without an
-- ack. Of the dead it is dead, since they died, but removed if a caller has removed them by_name;
-- of others removed, with that reason (nil: their last one). Records are read one at a time:
-- payloads may be large.
local function keep_gone(ids, now, reason, by_name)
  if #ids == 0 or not keeps_outcomes() then return end
  local ends = {}
  for i = 1, #ids do
    local id, try = ids[i], try_of(ids[i])
    local header = try and try.header or header_of(redis.call('HGET', KEYS[MSG], id) or '')
    local ms = kept_for(header)
    local died = ms and not by_name and redis.call('ZSCORE', KEYS[DEAD], id)
    local at = died and whole(died, 0, SPAN - 1) or now
    local tries, last = try and tries_of(try) or 0, try and try.reason or ''
    if ms and at + ms > now then
      note_outcome(ends, id, header, died and 'dead' or 'removed', tries, at,
        died and last or reason or last)
    end
  end
  keep_outcomes(ends)
end

-- gone_denial(): the error reply if the caller may not run what keep_gone runs, or nil.
local function gone_denial()
  return keeps_outcomes() and denial({'HGET', 'ZSCORE', 'ZADD', 'HSET'}) or nil
end
