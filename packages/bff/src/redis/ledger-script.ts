/**
 * The shared account of the key's calls, as one script that Redis runs in one piece: who may ask about what now (lease),
 * whether the budget has a call left (the rules of the ledger in memory), and how answers rank (fence). All times are
 * Redis's own, in ms. A call counts from its grant until a window after it was settled, or after it must be over.
 *
 * KEYS: state, calls, open, strangers, leases, alive, shares; for `acquire` also the answer and the rest of its subject.
 * ARGV: a list of settings, then the operation and what it needs; see `LedgerCommand`.
 * Returns: kind, two numbers or words of the operation, then `now`, epoch and how things stand; see `LedgerReply`.
 */
export const LEDGER_SCRIPT = `
local STATE, CALLS, OPEN, STRANGERS, LEASES, ALIVE, SHARES = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6], KEYS[7]
local me, epoch, expected = ARGV[1], ARGV[2], tonumber(ARGV[3])
local LIMIT, RESERVE, WINDOW, CALL = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
local LATE, SETTLE, RATE, BURST = tonumber(ARGV[8]), tonumber(ARGV[9]), tonumber(ARGV[10]), tonumber(ARGV[11])
local STRANGER_LIMIT, POOL, LEAVE = tonumber(ARGV[12]), tonumber(ARGV[13]), tonumber(ARGV[14])
local op = ARGV[15]
local KEEP, AGAIN, DEAD, FORGOTTEN, TOO_LATE = 86400000, 250, 2000, 3600000, 250

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local state = {}
local flat = redis.call('HGETALL', STATE)
for i = 1, #flat, 2 do state[flat[i]] = flat[i + 1] end

local function text(number) return string.format('%.0f', number) end
local function num(field) return tonumber(state[field]) or 0 end
local function put(field, value)
  state[field] = value
  redis.call('HSET', STATE, field, value)
end
local function put_num(field, value) put(field, string.format('%.4f', value)) end

-- Nothing is known of what was spent: a new Redis, one that was emptied, or one whose clock was set.
local function begin()
  local fence = num('fence')
  redis.call('DEL', STATE, CALLS, OPEN, STRANGERS, LEASES)
  state = {}
  put('epoch', text(now) .. '.' .. me)
  put('fence', text(math.max(fence, now * 1000)))
  put('settleUntil', text(now + SETTLE))
  put('holdUntil', text(now + WINDOW + LEAVE + CALL + LATE))
  put_num('level', BURST)
  put('at', text(now))
end

local function keep(key) redis.call('PEXPIRE', key, KEEP) end

local function count(member, until_)
  redis.call('ZADD', CALLS, text(until_), member)
  keep(CALLS)
  if until_ > num('until') then put('until', text(until_)) end
end

if not state.epoch or num('seen') > now + TOO_LATE or (num('until') > now and redis.call('EXISTS', CALLS) == 0) then begin() end
put('seen', text(now))
keep(STATE)

-- No word of the upstream, and nothing that somebody wrote here, holds calls back for longer than an empty start does.
local LONGEST = WINDOW + LEAVE + CALL + LATE
for _, field in ipairs({ 'pausedUntil', 'othersUntil', 'limitUntil', 'holdUntil', 'settleUntil', 'probeUntil', 'at' }) do
  if num(field) > now + LONGEST then put(field, text(now + LONGEST)) end
end
if num('level') > BURST + 1 then put_num('level', BURST + 1) end
-- Instances may differ in how long a call takes, by two minutes at the most.
for _, key in ipairs({ CALLS, OPEN, STRANGERS }) do
  redis.call('ZREMRANGEBYSCORE', key, '(' .. text(now + LONGEST + 120000), '+inf')
end

redis.call('ZREMRANGEBYSCORE', CALLS, '-inf', '(' .. text(now))
redis.call('ZREMRANGEBYSCORE', OPEN, '-inf', '(' .. text(now))

local function used() return redis.call('ZCARD', CALLS) end
local function in_flight() return redis.call('ZCARD', OPEN) end
local function limit() return num('limitUntil') > now and math.min(LIMIT, num('limit')) or LIMIT end
-- A lower limit that has run out, and that no answer has confirmed or denied since.
local function has_lapsed() return state.limit and num('limit') < LIMIT and num('limitUntil') <= now end
local function others() return num('othersUntil') > now and num('others') or 0 end
local function paused_for() return math.max(0, num('pausedUntil') - now) end

local function capacity()
  local room = 0
  if others() > 0 then room = math.min(RESERVE, math.ceil(0.1 * limit())) end
  return math.max(1, math.min(limit() - RESERVE, limit() - others() - room))
end

local function level() return math.max(0, num('level') - math.max(0, now - num('at')) * RATE) end

local function pace_room()
  local leak = math.ceil((level() + 1 - BURST) / RATE - 1e-6)
  if leak <= 0 then return 0 end
  return leak + math.max(0, num('at') - now)
end

local function log_room()
  local too_many = used() - capacity() + 1
  if too_many <= 0 then return 0 end
  local nth = redis.call('ZRANGE', CALLS, too_many - 1, too_many - 1, 'WITHSCORES')
  if not nth[1] or redis.call('ZSCORE', OPEN, nth[1]) then return AGAIN end
  return tonumber(nth[2]) - now + 1
end

local function stranger_room()
  redis.call('ZREMRANGEBYSCORE', STRANGERS, '-inf', '(' .. text(now))
  local too_many = redis.call('ZCARD', STRANGERS) - STRANGER_LIMIT + 1
  if too_many <= 0 then return 0 end
  local nth = redis.call('ZRANGE', STRANGERS, too_many - 1, too_many - 1, 'WITHSCORES')
  return tonumber(nth[2]) - now + 1
end

-- After an empty start one call tells by its answer's headers what was spent; all others wait for that, or for a window.
local function quarantine()
  if num('holdUntil') <= now then return 0 end
  if num('settleUntil') > now then return num('settleUntil') - now end
  if num('probeUntil') > now then return math.min(AGAIN, num('probeUntil') - now) end
  return 0
end

local function is_probing() return num('holdUntil') > now and num('settleUntil') <= now end

local function refusal(payer)
  if paused_for() > 0 then return 'paused', paused_for() end
  if (num('limitedInARow') > 0 or has_lapsed()) and in_flight() > 0 then return 'paused', AGAIN end
  local held = quarantine()
  if held > 0 then return 'starting', held end
  local room = log_room()
  if room > 0 then
    put_num('level', level())
    put('at', text(math.max(num('at'), now + room)))
    return 'budget', math.max(room, pace_room())
  end
  if not is_probing() and pace_room() > 0 then return 'budget', pace_room() end
  if payer == 'known' then return nil end
  local strangers = stranger_room()
  if strangers > 0 then return 'strangers', strangers end
end

local function lease_of(subject)
  local lease = redis.call('HGET', LEASES, subject)
  if not lease then return nil end
  return string.match(lease, '^(%S+) (%S+) (%S+)$')
end

-- Who has not been heard of for a while is taken for dead: its lease is another's.
local function is_alive(instance)
  local at = tonumber(redis.call('ZSCORE', ALIVE, instance) or '')
  return at ~= nil and now - at < DEAD and at <= now + TOO_LATE
end

local function elsewhere(subject, seen)
  local owner, _, until_ = lease_of(subject)
  if owner and owner ~= me and tonumber(until_) > now and is_alive(owner) then return math.min(AGAIN, tonumber(until_) - now) end
  local read, landed = pcall(redis.call, 'HGET', KEYS[8], 'fence')
  if read and type(landed) == 'string' and (tonumber(landed) or 0) > seen then return 1 end
  if redis.call('EXISTS', KEYS[9]) == 1 then return 1 end
end

local function grant(subject, payer)
  local fence = text(math.max(num('fence') + 1, now * 1000))
  put('fence', fence)
  local over = now + LEAVE + CALL
  count(fence, over + LATE + WINDOW)
  redis.call('ZADD', OPEN, text(over + LATE), fence)
  keep(OPEN)
  if payer ~= 'known' then
    redis.call('ZADD', STRANGERS, text(over + LATE + WINDOW), fence)
    keep(STRANGERS)
  end
  put_num('level', level() + 1)
  put('at', text(math.max(num('at'), now)))
  if is_probing() then
    put('probe', fence)
    put('probeUntil', text(now + WINDOW / 2 + CALL))
  end
  if redis.call('HLEN', LEASES) > 10000 then redis.call('DEL', LEASES) end
  redis.call('HSET', LEASES, subject, me .. ' ' .. fence .. ' ' .. text(over))
  keep(LEASES)
  return fence
end

local function acquire(subject, payer, seen)
  if epoch ~= state.epoch then return 'rejoin', 0, 0 end
  if expected > 0 and now > expected + TOO_LATE then return 'late', 0, 0 end
  local wait = elsewhere(subject, seen)
  if wait then return 'wait', wait, 0 end
  local reason, retry = refusal(payer)
  if reason then return 'refused', reason, math.max(1, math.ceil(retry)) end
  return 'go', grant(subject, payer), 0
end

local function pause(ms) put('pausedUntil', text(math.max(num('pausedUntil'), now + math.min(300000, WINDOW, math.max(1000, ms))))) end

local function learn(said_limit, remaining, reset, own_at_most)
  if said_limit >= 0 then
    put('limit', text(said_limit))
    put('limitUntil', text(now + WINDOW))
  end
  if remaining < 0 then return end
  local most = said_limit >= 0 and said_limit or LIMIT
  local by_others = math.max(0, most - remaining - own_at_most)
  -- Not only until the reset: a sliding window resets with its oldest call, and the others still count.
  if by_others >= others() then
    put('others', text(by_others))
    put('othersUntil', text(now + WINDOW))
  end
  if remaining <= 0 then pause(reset >= 0 and reset or WINDOW) end
end

local function admitted()
  put('limitedInARow', '0')
  if num('limitUntil') > now then return end
  state.limit = nil
  redis.call('HDEL', STATE, 'limit', 'limitUntil')
end

local function limited(retry_after, reset)
  if paused_for() == 0 then put('limitedInARow', text(math.min(10, num('limitedInARow') + 1))) end
  local said = math.max(retry_after, reset, 0)
  if said > 0 then pause(said) else pause(1000 * 2 ^ (num('limitedInARow') - 1)) end
end

local function probed(fate, said_limit, remaining)
  if fate == 'unsent' then return put('probeUntil', '0') end
  if fate ~= 'answered' or remaining < 0 then return end
  put('holdUntil', '0')
  local spent = (said_limit >= 0 and said_limit or LIMIT) - remaining + in_flight()
  put_num('level', math.min(level(), math.max(0, spent)))
  put('at', text(now))
end

local function release(fence, subject, fate)
  local owner, leased = lease_of(subject)
  if owner ~= me or leased ~= fence then return end
  -- An answer is written down next, which ends the lease: until then nobody asks the same again.
  if fate == 'unsent' then redis.call('HDEL', LEASES, subject)
  else redis.call('HSET', LEASES, subject, me .. ' ' .. fence .. ' ' .. text(now + 1000)) end
end

local function settle(fence, subject, fate, said_limit, remaining, reset, was_limited, retry_after)
  local own_at_most = used()
  redis.call('ZREM', OPEN, fence)
  if fate == 'unsent' then
    redis.call('ZREM', CALLS, fence)
    redis.call('ZREM', STRANGERS, fence)
  else
    local over = now + WINDOW + (fate == 'lost' and LATE or 0)
    count(fence, over)
    redis.call('ZADD', STRANGERS, 'XX', text(over), fence)
  end
  local last = redis.call('ZRANGE', CALLS, -1, -1, 'WITHSCORES')
  put('until', last[2] and text(tonumber(last[2])) or '0')
  release(fence, subject, fate)
  learn(said_limit, remaining, reset, own_at_most)
  if was_limited == 1 then limited(retry_after, reset) elseif fate == 'answered' then admitted() end
  if state.probe == fence then probed(fate, said_limit, remaining) end
  return 'settled', 0, 0
end

-- What an instance may spend while it does not reach Redis: never more in sum than the reserve has room for.
local function share_of(known)
  local living = math.max(1, redis.call('ZCOUNT', ALIVE, text(now - DEAD), '+inf'))
  local taken = 0
  local shares = redis.call('HGETALL', SHARES)
  for i = 1, #shares, 2 do
    if not redis.call('ZSCORE', ALIVE, shares[i]) then redis.call('HDEL', SHARES, shares[i])
    elseif shares[i] ~= me then taken = taken + (tonumber(shares[i + 1]) or 0) end
  end
  local share = math.max(0, math.min(math.floor(POOL / living), POOL - taken))
  redis.call('HSET', SHARES, me, text(math.max(share, known)))
  keep(SHARES)
  return share, living
end

local function lead()
  if state.leader ~= me and not (state.leader and is_alive(state.leader)) then put('leader', me) end
  return state.leader == me and 1 or 0
end

-- An instance says that it is there, and which calls of its own still count, should Redis not know.
local function enter(known_share, fence, clock_was_set, paused)
  if clock_was_set == 1 then begin() end
  if fence > num('fence') then put('fence', text(fence)) end
  if paused > paused_for() then put('pausedUntil', text(now + math.min(300000, WINDOW, paused))) end
  for i = 20, #ARGV, 2 do
    local until_ = now + tonumber(ARGV[i + 1])
    local known = tonumber(redis.call('ZSCORE', CALLS, ARGV[i]) or '') or 0
    if until_ > known then count(ARGV[i], until_) end
  end
  redis.call('ZADD', ALIVE, text(now), me)
  redis.call('ZREMRANGEBYSCORE', ALIVE, '-inf', text(now - FORGOTTEN))
  redis.call('ZREMRANGEBYSCORE', ALIVE, text(now + TOO_LATE), '+inf')
  keep(ALIVE)
  local share, living = share_of(known_share)
  return 'entered', share, living * 2 + lead()
end

local function leave()
  redis.call('ZREM', ALIVE, me)
  redis.call('HDEL', SHARES, me)
  if state.leader == me then put('leader', '') end
  return 'left', 0, 0
end

local kind, one, two
if op == 'acquire' then kind, one, two = acquire(ARGV[16], ARGV[17], tonumber(ARGV[18]))
elseif op == 'settle' then
  kind, one, two = settle(ARGV[16], ARGV[17], ARGV[18], tonumber(ARGV[19]), tonumber(ARGV[20]), tonumber(ARGV[21]), tonumber(ARGV[22]), tonumber(ARGV[23]))
elseif op == 'enter' then kind, one, two = enter(tonumber(ARGV[16]), tonumber(ARGV[17]), tonumber(ARGV[18]), tonumber(ARGV[19]))
else kind, one, two = leave() end
local starting = quarantine() > 0 and 1 or 0
return { kind, one, two, now, state.epoch, used(), capacity(), others(), paused_for(), starting, text(level() * 1000), text(math.max(0, num('at') - now)) }
`;
