-- key_of(id): the key of a message, and the rest of its id, KEY+REST; nil: it has none, as a
-- foreign id (lib/foreign.lua) has none.
local function key_of(id)
  return string.match(id, '^([%w._:][%w._:-]*)%+([%w._:-]+)$')
end
