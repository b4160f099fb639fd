-- @include lib/keys.lua
-- @include lib/constants.lua
-- @include lib/digits.lua
-- try: the entry in the try hash of a message that was delivered at least once:
--   TRIES[+BACK] TOKEN DUE[<FIRST][>AGAIN][@HOLDER] HEADER, LF, last reason
-- TRIES counts no delivery that was given back. BACK counts those, if there are any.
-- TOKEN is the fence: a receipt is valid while it is the last one; '0' once the delivery is
-- settled.
-- DUE is when that delivery was due (ms). HEADER is the record's: settling reads no bodies.
-- Numbers that dq does not write, because they are too great, count as the greatest.
-- FIRST, once a try has failed, or it was given back ten times (giveback.lua): when the message was
-- due for the first time. It is in the index of failing messages, too, with that score: that index
-- follows the entries (lib/failing.lua).
-- AGAIN, only during a delivery: a put has rescheduled the message: its due time when the delivery
-- ends (lib/rescheduled.lua). HOLDER, only while a receipt is valid: who took it (lib/holder.lua);
-- '' = the caller did not say.

local function try_parse(entry)
  local back
  local tries, token, due, first, again, at_holder, header, reason =
    string.match(entry, '^(%d+) (%d+) (%d+)<?(%d*)>?(%d*)(@?%S*) ([^\n]*)\n(.*)$')
  if not tries then -- one pattern for both would cost entries without BACK time
    tries, back, token, due, first, again, at_holder, header, reason =
      string.match(entry, '^(%d+)%+(%d+) (%d+) (%d+)<?(%d*)>?(%d*)(@?%S*) ([^\n]*)\n(.*)$')
  end
  if not tries then
    return {tries = 0, token = NO_TOKEN, due = 0, at_holder = '', header = '',
      reason = 'unreadable entry'}
  end
  due, again = math.min(tonumber(due), SPAN - 1),
    again ~= '' and math.min(tonumber(again), SPAN - 1) or nil
  tries, back = math.min(tonumber(tries), MOST_TRIES), back and math.min(tonumber(back), SPAN - 1)
  first = first ~= '' and math.min(tonumber(first), SPAN - 1) or nil
  return {tries = tries, back = back, token = token, due = due, first = first, again = again,
    at_holder = at_holder, header = header, reason = reason}
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
  if try.again then due = due .. '>' .. integer(try.again) end
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
