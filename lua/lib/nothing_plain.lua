-- @include lib/plain_marks.lua
-- @include lib/take_plain.lua
-- nothing_plain(now_arg, promote, held): the reply where nothing is ready. Nothing is written: the next move, if there is one,
-- has its mark, and the caller releases nothing.
local function nothing_plain(now_arg, promote, held)
  local now, _, us = clock(now_arg)
  local msg, delayed, _, leased, _, _, stat, _, conf, _, _, expiry = unpack(KEYS)
  local at = (held == '' or (tonumber(held) or 0) > now) and next_in(delayed, leased, SPAN)
  local known = at and at > now and peek('HMGET', stat, 'token', 'armed', 'shards') or {}
  local last = whole(known[1] or 0, 0, WHOLE - 1)
  if not last or known[3] ~= known_shards(now_arg) or at < SPAN and not time_stands(known[2], now, at)
    or promote == '1' and peek('ZCARD', expiry) ~= 0 or peek('HEXISTS', conf, 'paused') ~= 0
    or type(peek('HEXISTS', msg, '')) ~= 'number' then return nil end
  return {us, integer(math.max(last + 1, us)), at < SPAN and at or -1, 0, 0}
end
