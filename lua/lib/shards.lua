-- shards: a queue may be spread over several shards. Each is a queue by itself, with keys of its own, and the field shards of its
-- stat has their number: with a plus until all of them are made, with a dash from when they are being removed. Without the field
-- there is one. Callers say which number they know, after the time: NOW/N, or only NOW for one. A script that was called with
-- another number changes nothing.

-- shards_told(given): as in stat; false: one.
local function shards_told(given)
  return given ~= '' and string.match(given, '/(.*)$') or false
end
