-- @include lib/keys.lua
-- @include lib/arguments.lua
-- @include lib/record.lua
-- @include lib/batch.lua
-- loads: the items of load, read and checked before anything is written.

-- Each function parses the text after the first word of a place. It returns the values, or nil.
local function read_message(text, state)
  local at, tries, back, due, again, first, failed, reason =
    string.match(text, '^(%d+) (%d+)%+?(%d*) (%-?%d+) (%-?%d+) ?(%d*)%*?(%d*)\n(.*)$')
  at, tries, due = whole(at, 0, SPAN - 1), whole(tries, 0, MOST_TRIES), whole(due, -1, SPAN - 1)
  again = whole(again, -1, state == 'leased' and SPAN - 1 or -1)
  local times, since = whole(back, 1, SPAN - 1), whole(first, 0, SPAN - 1)
  local before = whole(failed, 1, MOST_TRIES)
  if not (at and tries and due and again and (times or back == '') and (since or first == '')
    and (before and since or failed == '') and #reason <= REASON) then return nil end
  return {at = at, tries = tries, back = times, due = due, again = again, since = since,
    failed = before, reason = reason}
end

local function read_edge(text, word)
  local token, dump, paused =
    string.match(text, word == 'end' and '^(%d+) (%d+) ([01])$' or '^(%d+) (%d+)$')
  token, dump = whole(token, 0, SPAN * 1000), whole(dump, 1, WHOLE)
  return token and dump and {token = token, paused = paused, dump = integer(dump)}
end

local function read_reserved(text)
  local till, outcome = string.match(text, '^(%d+)\n?(.*)$')
  till = whole(till, 0, SPAN - 1)
  local kept = till and (outcome == ''
    or #outcome <= REASON + 64 and string.find(outcome, '^%l+ %d+%+?%d* %d+\n'))
  return kept and {till = till, outcome = outcome ~= '' and outcome or nil}
end

local READ = {due = read_message, leased = read_message, dead = read_message,
  reserved = read_reserved, begin = read_edge, ['end'] = read_edge, free = read_edge}

-- read_loads(from): the items in ARGV from there on, each with its `word`, `id` and `record`; or
-- nil and the name of the wrong part.
local function read_loads(from)
  if not items(from, 3) then return nil, 'items' end
  local all, bodies = {}, {n = 0, ids = {}, fields = {}}
  for at = from, #ARGV, 3 do
    local word, text = string.match(ARGV[at + 1], '^(%l+) (.*)$')
    local item = word and READ[word] and READ[word](text, word)
    if not item or READ[word] == read_edge and #ARGV > from + 2 then return nil, 'place' end
    item.word, item.id, item.record = word, ARGV[at], ARGV[at + 2]
    all[#all + 1] = item
    if READ[word] ~= read_edge then
      bodies.n = bodies.n + 1
      bodies.ids[bodies.n] = item.id
      bodies.fields[2 * bodies.n] = word == 'reserved' and '\n' or item.record
    end
  end
  if bodies.n > 0 and not ids_valid(bodies) then return nil, 'id' end
  local valid = records_valid(bodies, '^[%a\n]')
  all.keeps, all.keyed = bodies.keeps, bodies.keyed
  return valid and all, 'record'
end
