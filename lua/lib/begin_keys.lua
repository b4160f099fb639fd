-- @include lib/usual.lua
-- @include lib/limits.lua
-- @include lib/key_pause.lua
-- @include lib/rights.lua
-- begin_keys(first): sets with_keys if the queue has messages with keys, as the letter k of
-- stat.limits says. first: it may have them from now on. The first move of one writes the letter:
-- those without a key, which may be ready already, are a key then, too.
local function begin_keys(first)
  if with_keys or not (first or limited_by('k')) then return end
  -- @include lib/keyed.lua
  -- @include lib/rotate.lua
  with_keys = {will_move = will_move, note_old = note_old, has_moved = has_moved, place = place,
    pick = pick, rotate = rotate}
  if limited_by('k') then return end
  function with_keys.begin()
    with_keys.begin, word = nil, (limits() or '') .. 'k'
    note_limits()
    place('')
  end
end

-- frees_place(): may the end of a delivery, or of a message, let another delivery begin, which a
-- setting holds back?
local function frees_place()
  return limited_by('l') or with_keys and limited_by('[ns]')
end

-- places_denial(): the error reply if the caller may not run what counts the places of a key.
local function places_denial()
  return limited_by('n') and denial({'ZLEXCOUNT'}) or nil
end

-- keys_denial(): the error reply if the caller may not run what keys need besides.
local function keys_denial()
  return with_keys
    and (denial({'ZADD', 'ZRANGE', 'ZREM', 'ZSCORE', 'HEXISTS'}) or places_denial()) or nil
end
