-- @include lib/expiry.lua
-- batch_expiry: the index of expiries, for the messages of a put.

-- expiry_at(expire, up): the time (ms) at which all expire, so many ms (text) from now; nil: out of
-- range.
local function expiry_at(expire, up)
  local dies = whole(expire, 1, SPAN) and up + expire
  return dies and dies < SPAN and dies or nil
end

-- set_expiry(batch, dies): the same one (ms) for all, at the start of each header.
local function set_expiry(batch, dies)
  local fields, prefix = batch.fields, 'x=' .. integer(dies)
  for i = 2, 2 * batch.n, 2 do fields[i] = prefix .. fields[i] end
  batch.dies = dies
end

-- index_batch(batch, from, to): indexes the expiries of these messages, which are in delayed or
-- ready already. (batch.dies or batch.own_expiry: there may be some.)
local function index_batch(batch, from, to)
  local expiries, dies = {}, batch.dies and integer(batch.dies)
  for i = from, to do
    if dies then
      expiries[#expiries + 1], expiries[#expiries + 2] = dies, batch.ids[i]
    else
      note_expiry(expiries, batch.ids[i], header_of(batch.fields[2 * i]))
    end
  end
  index_expiries(expiries)
end
