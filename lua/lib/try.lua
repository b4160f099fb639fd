-- @include lib/keys.lua
-- @include lib/clock.lua
-- try: what the try hash holds for a message that was delivered at least once:
--   TRIES TOKEN DUE[>AGAIN] HEADER, LF, last reason
-- TOKEN is the fence: a receipt is valid while it is the last one; '0' once the delivery is settled.
-- DUE is when that delivery was due (ms). HEADER is the record's, so that settling needs no look at bodies.
-- AGAIN, only while somebody is at work: a put asked for the message meanwhile, and then it is due, however that delivery ends
-- (lib/ends.lua).
local SETTLED = '0'

local function try_parse(entry)
  local tries, token, due, again, header, reason = string.match(entry, '^(%d+) (%d+) (%d+)>?(%d*) ([^\n]*)\n(.*)$')
  if not tries then
    return {tries = 0, token = SETTLED, due = 0, header = '', reason = 'unreadable entry'}
  end
  return {tries = tonumber(tries), token = token, due = tonumber(due), again = tonumber(again), header = header, reason = reason}
end

-- try_token_is(entry, token): the same as try_parse(entry).token == token where that is not SETTLED, in half of the time.
local function try_token_is(entry, token)
  return string.match(entry, '^%d+ (%d+) %d+>?%d* ') == token and string.find(entry, '\n', 1, true)
end

local function try_text(tries, token, due, header, reason)
  return integer(tries) .. ' ' .. token .. ' ' .. integer(due) .. ' ' .. header .. '\n' .. reason
end

-- with_again(try, again): the entry's text, with another time to be due again.
local function with_again(try, again)
  local due = integer(try.due) .. '>' .. integer(again)
  return integer(try.tries) .. ' ' .. try.token .. ' ' .. due .. ' ' .. try.header .. '\n' .. try.reason
end

-- write_tries(entries, n): n of them (id, text, id, text...), of messages that are being taken. Redis keeps a hash of few short
-- values as a list, in which it looks for a field from the start: a batch would take time by its square. A value of over 64
-- bytes makes a table of it, which it stays until it is empty; so the first one is that long for a moment.
local FEW_TRIES, LONG = 16, string.rep(' ', 65)
local function write_tries(entries, n)
  if n <= FEW_TRIES then
    redis.call('HSET', key.try, unpack(entries))
  else
    redis.call('HSET', key.try, entries[1], LONG, unpack(entries)) -- of equal fields the last one stays
  end
end
