-- is_id: ids of messages: 1 to 128 of A-Z a-z 0-9 . _ : - or, with a key, KEY+REST of these, but no
-- - first. common/base/name.c has the same.

local function is_id(id)
  return #id <= 128 and (string.find(id, '^[%w._:-]+$')
    or string.find(id, '^[%w._:][%w._:-]*%+[%w._:-]+$')) and true or false
end
