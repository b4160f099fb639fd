-- @include lib/plain_delivery.lua
-- ack_plain: leased -> gone, for a few messages whose ids do not stay reserved. It does not read the server's clock, because
-- nothing here depends on it.

local SOME_RECEIPTS = 16

-- leases(leased, ids): are all of them in that index? For one, ZREM tells. ZMSCORE would be one call, but the roles of
-- dq-scripts(7) do not have it: each refusal is an entry in the ACL LOG, and leaves all to the rest of the script.
local function leases(leased, ids)
  if #ids == 1 then return true end
  for i = 1, #ids do
    if type(peek('ZSCORE', leased, ids[i])) ~= 'string' then return false end
  end
  return true
end

-- plain_ids(try): the ids of the receipts, if all are plain and no id comes twice; or nil.
local function plain_ids(try)
  local ids, seen, n = {}, {}, 0
  for i = 2, #ARGV, 2 do
    local id = ARGV[i]
    local entry = delivery(try, id, ARGV[i + 1])
    if not entry or seen[id] or string.find(entry, 'u=', 1, true) then return nil end
    n = n + 1
    ids[n], seen[id] = id, true
  end
  return ids
end

-- ack_plain(now_arg, id): the reply, or nil. id: of the first receipt.
local function ack_plain(now_arg, id)
  local msg, _, _, leased, _, try, stat = unpack(KEYS)
  local ms = string.match(now_arg or '?', '^[^/]+')
  local ids = id and #ARGV <= 1 + 2 * SOME_RECEIPTS and (not ms or whole(ms, 0, SPAN - 1)) and plain_ids(try)
  if not ids or peek('HGET', stat, 'shards') ~= known_shards(now_arg) or type(peek('HEXISTS', msg, id)) ~= 'number'
    or not leases(leased, ids)
    or not redis.acl_check_cmd('HDEL', try, '0') or not redis.acl_check_cmd('HINCRBY', stat, '0', '0')
    or redis.pcall('ZREM', leased, unpack(ids)) ~= #ids then return nil end -- the first write
  redis.call('HDEL', try, unpack(ids))
  redis.call('HDEL', msg, unpack(ids))
  redis.call('HINCRBY', stat, 'acked', #ids)
  return string.rep('d', #ids)
end
