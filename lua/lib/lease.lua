-- @include lib/digits.lua
-- @include lib/constants.lua
-- @include lib/move.lua
-- @include lib/counters.lua
-- lease: ready or delayed -> leased: the move of a take. plan_leases decides, write_leases writes.

-- plan_leases(take, from, ids, scores, records, entries, n): which of these n messages are leased,
-- in order, until take.budget bytes are reached. take: now, up, us, budget; ttr (nil: each
-- message's own), token and at_holder (of these deliveries). It sets in take: leases and tries (for
-- ZADD and HSET) of k messages, late, expiring and expired (ids; nil: none), passed: so many of the
-- ids were looked at, and ends: the first end of a lease. Returns the reply, whose third to sixth
-- value are to be set.
local function plan_leases(take, from, ids, scores, records, entries, n)
  local now, up, token, budget = take.now, take.up, take.token, take.budget
  -- Neighbours often have the same header and the same score: these values are kept until one of
  -- them changes. The functions are made when they are needed.
  local header, lease, lease_text, expires, score, due, bucket, first
  local field_of, next_of, text_of, tries_for, _
  -- Indexes are tracked here: #t costs O(log n), half the time of a large batch.
  local reply, leases, tries, late = {take.us, token, -1, 0, 0, -1}, {}, {}, {}
  local expired, expiring
  local k, passed, bytes, ends = 0, 0, 0, SPAN
  while passed < n and bytes < budget do
    passed = passed + 1
    local id, record = ids[passed], records[passed]
    if record then -- else an index entry without a body: it is removed
      local of_record = string.byte(record) == 10 and ''
        or string.match(record, '^([^\n]*)\n') or ''
      if of_record ~= header then
        header, first, expires = of_record, nil, nil
        local ttr = take.ttr or TTR
        if header ~= '' then
          if not field_of then
            -- @include lib/record.lua
            field_of = number_field
          end
          ttr, expires = take.ttr or field_of(header, 't', TTR), field_of(header, 'x')
        end
        lease = math.min(up + ttr, SPAN - 1)
        lease_text, ends = integer(lease), math.min(ends, lease)
      end
      if scores[passed] ~= score then
        score, first = scores[passed], nil
        due = from == KEYS[READY] and score % SPAN or math.floor(score)
        if not (due >= 0 and due < HELD) then due = 0 end -- no time
        _, bucket = math.frexp(math.max(now - due, 0)) -- exact; a quotient of logarithms is not
      end
      if expires and expires <= now then
        expired = expired or {}
        expired[#expired + 1] = id
      else
        local try, text = nil, nil
        if entries[passed] then
          if not next_of then
            -- @include lib/try.lua
            next_of, text_of, tries_for = next_try, entry_text, tries_of
          end
          try = next_of(entries[passed], token, due, take.at_holder, header)
          text = text_of(try)
        else
          first = first or '1 ' .. token .. ' ' .. integer(due) .. take.at_holder -- lib/try.lua
            .. ' ' .. header .. '\n'
        end
        k = k + 1
        leases[k * 2 - 1], leases[k * 2] = lease_text, id
        tries[k * 2 - 1], tries[k * 2] = id, text or first
        local r, n_tries = k * 6, try and (try.back and tries_for(try) or try.tries) or 1
        reply[r + 1], reply[r + 2], reply[r + 3], reply[r + 4], reply[r + 5] =
          id, n_tries, due, lease, record
        reply[r + 6] = try and string.sub(try.reason, 1, REASON) or ''
        late[bucket] = (late[bucket] or 0) + 1
        if expires then
          expiring = expiring or {}
          expiring[#expiring + 1] = id
        end
        bytes = bytes + #record
      end
    end
  end
  take.leases, take.tries, take.k, take.late, take.expiring, take.expired =
    leases, tries, k, late, expiring, expired
  take.passed, take.ends = passed, ends
  return reply
end

local FEW_TRIES = 16

-- write_leases(take, from, ids): carries the plan out; without keys the ids are the first in from.
-- The entries first: what is leased can be settled. take.taken: the counter until now.
-- Redis keeps a hash of few short values as a list, and searches that from its start for each
-- field: the time of a batch would grow by its square. A value of over 64 bytes makes the hash a
-- table until it is empty; so the first value is that long for a moment.
local function write_leases(take, from, ids)
  local k = take.k
  if k > 0 then
    if k <= FEW_TRIES then
      redis.call('HSET', KEYS[TRY], unpack(take.tries))
    else
      -- Of equal fields the last one stays.
      redis.call('HSET', KEYS[TRY], take.tries[1], string.rep(' ', 65), unpack(take.tries))
    end
    redis.call('HSET', KEYS[STAT], 'token', take.token, 'taken', integer(take.taken + k))
  end
  if k > 1 then
    -- @include lib/last_first.lua
    last_first(take.leases, k)
  end
  if take.passed > 0 then
    move(k > 0 and KEYS[LEASED] or nil, take.leases, ids, from, nil,
      not with_keys and take.passed or nil)
  end
  for power, times in pairs(take.late) do -- deliveries less than 2^power ms late
    add('late:' .. power, times)
  end
  if take.expiring then redis.call('ZREM', KEYS[EXPIRY], unpack(take.expiring)) end
end
