-- @include lib/keys.lua
-- @include lib/constants.lua
-- @include lib/digits.lua
-- try: the entry in the try hash of a message that was delivered at least once:
--   TRIES[+BACK] TOKEN DUE[<FIRST|~FIRST][>AGAIN][*FAILED][@HOLDER] HEADER, LF, last reason
-- TRIES counts no delivery that was given back. BACK counts those, if there are any.
-- TOKEN is the fence: a receipt is valid while it is the last one; '0' once the delivery is
-- settled.
-- DUE is when that delivery was due (ms). HEADER is the record's: settling reads no bodies.
-- Numbers that dq does not write, because they are too great, count as the greatest.
-- FIRST, once a delivery did not succeed: when the message was due for the first time. With < it
-- fails (does_fail): it is in the index of failing messages, too, with that score: that index
-- follows the entries (lib/failing.lua). With ~ not: it was only given back, or it is dead.
-- AGAIN, only during a delivery: a put has rescheduled the message: its due time when the delivery
-- ends (lib/rescheduled.lua). HOLDER, only while a receipt is valid: who took it (lib/holder.lua);
-- '' = the caller did not say.
-- FAILED: so many tries had failed, without a success, when a put rescheduled the message. It
-- begins anew then, but what failed is remembered until it succeeds: its DUE is HELD, and the other
-- numbers are of its next deliveries. So it was not delivered since, and comes in order of its due
-- time (has_begun_by).
local OFTEN = 10 -- nobody would see a message that is given back for ever

local function try_parse(entry)
  local back
  local tries, token, due, fails, first, again, failed, at_holder, header, reason = string.match(
    entry, '^(%d+) (%d+) (%d+)([<~]?)(%d*)>?(%d*)%*?(%d*)(@?%S*) ([^\n]*)\n(.*)$')
  if not tries then -- one pattern for both would cost entries without BACK time
    tries, back, token, due, fails, first, again, failed, at_holder, header, reason = string.match(
      entry, '^(%d+)%+(%d+) (%d+) (%d+)([<~]?)(%d*)>?(%d*)%*?(%d*)(@?%S*) ([^\n]*)\n(.*)$')
  end
  if not tries then
    return {tries = 0, token = NO_TOKEN, due = 0, at_holder = '', header = '',
      reason = 'unreadable entry'}
  end
  due, again = math.min(tonumber(due), SPAN - 1),
    again ~= '' and math.min(tonumber(again), SPAN - 1) or nil
  tries, back = math.min(tonumber(tries), MOST_TRIES), back and math.min(tonumber(back), SPAN - 1)
  first = first ~= '' and math.min(tonumber(first), SPAN - 1) or nil
  failed = failed ~= '' and math.min(tonumber(failed), MOST_TRIES) or nil
  return {tries = tries, back = back, token = token, due = due, again = again, failed = failed,
    first = fails ~= '~' and first or nil, since = fails == '~' and first or nil,
    at_holder = at_holder, header = header, reason = reason}
end

-- fails(try): from now on; has_died(try): not any more, as it is dead.
local function fails(try)
  try.first, try.since = try.first or try.since or try.due, nil
end

local function has_died(try)
  try.first, try.since = nil, try.first or try.since
end

-- does_fail(try, tries): if so many of its tries have failed, and it is not dead.
local function does_fail(try, tries)
  return tries > 0 or try.failed ~= nil or (try.back or 0) >= OFTEN
end

-- failures(try, is_leased): how many tries have failed since it succeeded, or was put.
local function failures(try, is_leased)
  return math.min(math.max((try.failed or 0) + try.tries - (is_leased and 1 or 0), 0), MOST_TRIES)
end

-- last_due(try): when its last delivery was due (ms); -1: it had none since it was rescheduled.
local function last_due(try)
  return try.due < HELD and try.due or -1
end

-- has_begun_by(entry): was the message delivered, and not rescheduled since? (false: no entry.)
local function has_begun_by(entry)
  return entry and (tonumber(string.match(entry, '^%S+ %S+ (%d+)')) or 0) < HELD
end

-- tries_of(try): TRIES[+BACK], as replies have it; a number if it is only that.
local function tries_of(try)
  return try.back and integer(try.tries) .. '+' .. integer(try.back) or try.tries
end

-- try_holder(try): without the @; '' = not said.
local function try_holder(try)
  return string.sub(try.at_holder or '', 2)
end

-- entry_text(try): the text of a parsed entry. Its at_holder is the holder with the @ before it, or
-- ''; nil is ''.
local function entry_text(try)
  local due = integer(try.due)
  if try.first then due = due .. '<' .. integer(try.first) end
  if try.since then due = due .. '~' .. integer(try.since) end
  if try.again then due = due .. '>' .. integer(try.again) end
  if try.failed then due = due .. '*' .. integer(try.failed) end
  local tries = try.back and integer(try.tries) .. '+' .. integer(try.back) or integer(try.tries)
  return tries .. ' ' .. try.token .. ' ' .. due .. (try.at_holder or '') .. ' '
    .. try.header .. '\n' .. try.reason
end

-- settled_text(try, reason): the same after its delivery is settled: no receipt is valid. A reason
-- of '' keeps the last one.
local function settled_text(try, reason)
  try.token, try.again, try.at_holder = NO_TOKEN, nil, nil
  if reason ~= '' then try.reason = reason end
  return entry_text(try)
end

-- renewed_text(try, reason): the same after it was rescheduled.
local function renewed_text(try, reason)
  local failed = failures(try)
  try.tries, try.due, try.failed = 0, HELD, failed > 0 and failed or nil
  return settled_text(try, reason)
end

-- next_try(entry, token, due, at_holder, header): the next delivery of the message, parsed.
local function next_try(entry, token, due, at_holder, header)
  local try = try_parse(entry)
  try.tries, try.token, try.due, try.again, try.at_holder, try.header =
    try.tries + 1, token, due, nil, at_holder, header
  return try
end

-- try_of(id): the message's entry, parsed; nil if it was never delivered.
local function try_of(id)
  local entry = redis.call('HGET', KEYS[TRY], id)
  return entry and try_parse(entry) or nil
end
