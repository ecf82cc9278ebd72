-- The shared account of the key's calls, as one script that Redis runs in one piece: who may ask about what now (lease),
-- whether the budget has a call left (the rules of the call budget in memory), and how answers rank (fencing token). A call counts
-- from its grant until a window after it was settled, or after it must be over.
--
-- All times are the account's own, in ms: they begin at Redis's clock when the account is reset, and from then on each
-- instance moves them by its monotonic clock. No call lapses sooner because Redis's clock is set.
--
-- KEYS: state, calls, open, unknown ids, leases, alive; for `acquire` also the answer and the rest of its subject.
-- ARGV: a list of settings, then the operation and what it needs; see `BudgetCommand`.
-- Returns: kind, two numbers or words of the operation, then `now`, epoch and how things stand; see `BudgetScriptReply`.
local STATE, CALLS, OPEN, UNKNOWNS, LEASES, ALIVE = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local ANSWER, BACKOFF = KEYS[7], KEYS[8]
-- What the caller knows: of which account, the least that its time is, how many calls it has counted, and when this
-- command is too late, by Redis's clock.
local me, epoch, least_now, seen, late_after = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local LIMIT, RESERVE, GUARD, CALL = tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[9]), tonumber(ARGV[10])
local WINDOW = tonumber(ARGV[8]) + GUARD
local LATE, WARM_UP, RATE, BURST = tonumber(ARGV[11]), tonumber(ARGV[12]), tonumber(ARGV[13]), tonumber(ARGV[14])
local UNKNOWN_LIMIT, PERMIT_TTL = tonumber(ARGV[15]), tonumber(ARGV[16])
local op = ARGV[17]
local KEEP, AGAIN, DEAD, FORGOTTEN, MAX_PAUSE = 86400000, 250, 2000, 3600000, math.min(300000, WINDOW)
-- The max that PULSE_UPSTREAM_TIMEOUT_MS can be.
local MAX_CALL = 120000
-- No moment of ours is later, and a fencing_token made of one is still a whole number in any language (the year 2096).
local LAST_MOMENT = 4e12

local time = redis.call('TIME')
local redis_now = time[1] * 1000 + math.floor(time[2] / 1000)

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

local now = num('now')

-- What was spent is not known, or not all of it: a new Redis, one that was emptied, or one that lost its last writes.
-- Instances then say which of their calls still count; what dead ones spent has a whole window to lapse.
local function reset()
  local fencing_token = num('fencingToken')
  redis.call('DEL', STATE, CALLS, OPEN, UNKNOWNS, LEASES, ALIVE)
  state = {}
  now = now < LAST_MOMENT and math.max(now, redis_now) or redis_now
  put('epoch', text(redis_now) .. '.' .. me)
  put('fencingToken', text(math.max(fencing_token < LAST_MOMENT * 1000 and fencing_token or 0, now * 1000)))
  put('warmUpUntil', text(now + WARM_UP))
  put('holdUntil', text(now + WINDOW + PERMIT_TTL + CALL + LATE))
  put_num('level', BURST)
  put('at', text(now))
end

local function keep(key) redis.call('PEXPIRE', key, KEEP) end

local function count(member, until_)
  if redis.call('ZADD', CALLS, text(until_), member) == 1 then put('counted', text(num('counted') + 1)) end
  keep(CALLS)
  if until_ > num('until') then put('until', text(until_)) end
end

-- All that is to lapse does so later by this much.
local function put_off(by)
  for _, key in ipairs({ CALLS, OPEN, UNKNOWNS }) do
    local entries = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
    for i = 1, #entries, 2 do redis.call('ZADD', key, text(tonumber(entries[i + 1]) + by), entries[i]) end
  end
  for _, field in ipairs({ 'until', 'warmUpUntil', 'holdUntil', 'probeUntil', 'pausedUntil', 'othersUntil', 'limitUntil', 'at' }) do
    if num(field) > now then put(field, text(num(field) + by)) end
  end
end

-- Nothing that is written here holds calls back for longer than the rule that wrote it: more than that is no word of ours.
local function clamp(field, max) if num(field) > max then put(field, text(max)) end end
local function clamp_all()
  local call_over = now + PERMIT_TTL + CALL + LATE
  clamp('warmUpUntil', now + WARM_UP)
  clamp('holdUntil', call_over + WINDOW)
  clamp('probeUntil', now + WINDOW / 2 + CALL)
  clamp('pausedUntil', now + MAX_PAUSE)
  clamp('othersUntil', now + WINDOW)
  clamp('limitUntil', now + WINDOW)
  clamp('at', call_over + WINDOW)
  clamp('level', 2 * BURST)
  clamp('consecutiveLimits', 10)
  -- Instances may differ in how long a call takes.
  local last = text(now + PERMIT_TTL + MAX_CALL + LATE + WINDOW)
  for _, key in ipairs({ CALLS, OPEN, UNKNOWNS }) do redis.call('ZREMRANGEBYSCORE', key, '(' .. last, '+inf') end
end

local is_sane = state.epoch ~= nil and now > 0 and now < LAST_MOMENT and num('fencingToken') < LAST_MOMENT * 1000
local is_same = is_sane and epoch == state.epoch
local has_lost_counts = is_same and seen > num('counted')
local has_lost_calls = num('until') > now and redis.call('EXISTS', CALLS) == 0
local ahead = is_same and least_now - now or 0
-- Nobody was there to move the time, and who comes first does not know it: Redis's clock says how long that was.
if is_sane and not is_same and num('redisAt') > 0 then ahead = math.min(redis_now - num('redisAt'), KEEP) end
-- Calls that somebody counted in a time that stood still must not lapse when it is put right.
local stood_still = ahead > GUARD and (not is_same or seen < num('counted'))
if not is_sane or has_lost_counts or has_lost_calls then reset()
elseif ahead > 0 and (is_same or stood_still) then
  if stood_still then put_off(ahead) end
  now = now + ahead
end
put('now', text(now))
put('redisAt', text(redis_now))
clamp_all()
keep(STATE)
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

local function unknown_room()
  redis.call('ZREMRANGEBYSCORE', UNKNOWNS, '-inf', '(' .. text(now))
  local too_many = redis.call('ZCARD', UNKNOWNS) - UNKNOWN_LIMIT + 1
  if too_many <= 0 then return 0 end
  local nth = redis.call('ZRANGE', UNKNOWNS, too_many - 1, too_many - 1, 'WITHSCORES')
  return tonumber(nth[2]) - now + 1
end

-- After an empty start one call tells by its answer's headers what was spent; all others wait for that, or for a window.
local function warm_up()
  if num('holdUntil') <= now then return 0 end
  if num('warmUpUntil') > now then return num('warmUpUntil') - now end
  if num('probeUntil') > now then return math.min(AGAIN, num('probeUntil') - now) end
  return 0
end

local function is_probing() return num('holdUntil') > now and num('warmUpUntil') <= now end

local function refusal(bucket)
  if paused_for() > 0 then return 'paused', paused_for() end
  if (num('consecutiveLimits') > 0 or has_lapsed()) and in_flight() > 0 then return 'paused', AGAIN end
  local held = warm_up()
  if held > 0 then return 'starting', held end
  local room = log_room()
  if room > 0 then
    put_num('level', level())
    put('at', text(math.max(num('at'), now + room)))
    return 'budget', math.max(room, pace_room())
  end
  if not is_probing() and pace_room() > 0 then return 'budget', pace_room() end
  if bucket == 'known' then return nil end
  local unknowns = unknown_room()
  if unknowns > 0 then return 'unknowns', unknowns end
end

local function lease_of(subject)
  local lease = redis.call('HGET', LEASES, subject)
  if not lease then return nil end
  return string.match(lease, '^(%S+) (%S+) (%S+)$')
end

-- Who has not been heard of for a while is taken for dead: its lease is another's.
local function is_alive(instance)
  local at = tonumber(redis.call('ZSCORE', ALIVE, instance) or '')
  return at ~= nil and now - at < DEAD
end

local function in_flight_elsewhere(subject, seen)
  local owner, _, until_ = lease_of(subject)
  local leased_for = owner and owner ~= me and is_alive(owner) and (tonumber(until_) or 0) - now or 0
  if leased_for > 0 and leased_for <= PERMIT_TTL + MAX_CALL then return math.min(AGAIN, leased_for) end
  local read, stored = pcall(redis.call, 'HGET', ANSWER, 'fencingToken')
  if read and type(stored) == 'string' and (tonumber(stored) or 0) > seen then return 1 end
  if redis.call('EXISTS', BACKOFF) == 1 then return 1 end
end

local function grant(subject, bucket)
  local fencing_token = text(math.max(num('fencingToken') + 1, now * 1000))
  put('fencingToken', fencing_token)
  local over = now + PERMIT_TTL + CALL
  count(fencing_token, over + LATE + WINDOW)
  redis.call('ZADD', OPEN, text(over + LATE), fencing_token)
  keep(OPEN)
  if bucket ~= 'known' then
    redis.call('ZADD', UNKNOWNS, text(over + LATE + WINDOW), fencing_token)
    keep(UNKNOWNS)
  end
  put_num('level', level() + 1)
  put('at', text(math.max(num('at'), now)))
  if is_probing() then
    put('probe', fencing_token)
    put('probeUntil', text(now + WINDOW / 2 + CALL))
  end
  if redis.call('HLEN', LEASES) > 10000 then redis.call('DEL', LEASES) end
  redis.call('HSET', LEASES, subject, me .. ' ' .. fencing_token .. ' ' .. text(over))
  keep(LEASES)
  return fencing_token
end

local function acquire(subject, bucket, seen)
  if epoch ~= state.epoch then return 'rejoin', 0, 0 end
  if late_after > 0 and redis_now > late_after then return 'late', 0, 0 end
  local wait = in_flight_elsewhere(subject, seen)
  if wait then return 'in-flight-elsewhere', wait, 0 end
  local reason, retry = refusal(bucket)
  if reason then return 'denied', reason, math.max(1, math.ceil(retry)) end
  return 'granted', grant(subject, bucket), 0
end

local function pause(ms) put('pausedUntil', text(math.max(num('pausedUntil'), now + math.min(MAX_PAUSE, math.max(1000, ms))))) end

local function learn(reported_limit, remaining, reset, own_max)
  if reported_limit >= 0 then
    put('limit', text(reported_limit))
    put('limitUntil', text(now + WINDOW))
  end
  if remaining < 0 then return end
  local max = reported_limit >= 0 and reported_limit or LIMIT
  local by_others = math.max(0, max - remaining - own_max)
  -- Not only until the reset: a sliding window resets with its oldest call, and the others still count.
  if by_others >= others() then
    put('others', text(by_others))
    put('othersUntil', text(now + WINDOW))
  end
  if remaining <= 0 then pause(reset >= 0 and reset or WINDOW) end
end

local function admitted()
  put('consecutiveLimits', '0')
  if num('limitUntil') > now then return end
  state.limit = nil
  redis.call('HDEL', STATE, 'limit', 'limitUntil')
end

local function limited(retry_after, reset)
  if paused_for() == 0 then put('consecutiveLimits', text(math.min(10, num('consecutiveLimits') + 1))) end
  local said = math.max(retry_after, reset, 0)
  if said > 0 then pause(said) else pause(1000 * 2 ^ (num('consecutiveLimits') - 1)) end
end

local function probed(fate, reported_limit, remaining)
  if fate == 'unsent' then return put('probeUntil', '0') end
  if fate ~= 'answered' or remaining < 0 then return end
  put('holdUntil', '0')
  local spent = (reported_limit >= 0 and reported_limit or LIMIT) - remaining + in_flight()
  put_num('level', math.min(level(), math.max(0, spent)))
  put('at', text(now))
end

local function release(fencing_token, subject, fate)
  local owner, leased = lease_of(subject)
  if owner ~= me or leased ~= fencing_token then return end
  -- An answer is written down next, which ends the lease: until then nobody asks the same again.
  if fate == 'unsent' then redis.call('HDEL', LEASES, subject)
  else redis.call('HSET', LEASES, subject, me .. ' ' .. fencing_token .. ' ' .. text(now + 1000)) end
end

local function settle(fencing_token, subject, fate, reported_limit, remaining, reset, was_limited, retry_after)
  local own_max = used()
  redis.call('ZREM', OPEN, fencing_token)
  if fate == 'unsent' then
    redis.call('ZREM', CALLS, fencing_token)
    redis.call('ZREM', UNKNOWNS, fencing_token)
  else
    local over = now + WINDOW + (fate == 'lost' and LATE or 0)
    count(fencing_token, over)
    redis.call('ZADD', UNKNOWNS, 'XX', text(over), fencing_token)
  end
  local last = redis.call('ZRANGE', CALLS, -1, -1, 'WITHSCORES')
  put('until', last[2] and text(tonumber(last[2])) or '0')
  release(fencing_token, subject, fate)
  learn(reported_limit, remaining, reset, own_max)
  if was_limited == 1 then limited(retry_after, reset) elseif fate == 'answered' then admitted() end
  if state.probe == fencing_token then probed(fate, reported_limit, remaining) end
  return 'settled', 0, 0
end

-- One refreshes by plan: one that hears what readers of the others look at. While there is none, each does.
local function elect_leader(can_be_leader)
  if state.leader == me and can_be_leader == 0 then put('leader', '') end
  if not (state.leader and is_alive(state.leader)) then
    if can_be_leader == 0 then return 1 end
    put('leader', me)
  end
  return state.leader == me and 1 or 0
end

-- An instance says that it is there, and which calls of its own still count, should Redis not know.
local function join(fencing_token, paused, can_be_leader)
  if fencing_token > num('fencingToken') then put('fencingToken', text(fencing_token)) end
  if paused > paused_for() then put('pausedUntil', text(now + math.min(MAX_PAUSE, paused))) end
  for i = 21, #ARGV, 2 do
    local until_ = now + tonumber(ARGV[i + 1])
    local known = tonumber(redis.call('ZSCORE', CALLS, ARGV[i]) or '') or 0
    if until_ > known then count(ARGV[i], until_) end
  end
  redis.call('ZADD', ALIVE, text(now), me)
  redis.call('ZREMRANGEBYSCORE', ALIVE, '-inf', text(now - FORGOTTEN))
  keep(ALIVE)
  local living = redis.call('ZCOUNT', ALIVE, text(now - DEAD), '+inf')
  return 'joined', redis.call('ZCARD', ALIVE), living * 2 + elect_leader(can_be_leader)
end

local function leave()
  redis.call('ZREM', ALIVE, me)
  if state.leader == me then put('leader', '') end
  return 'left', 0, 0
end

local kind, one, two
if op == 'acquire' then kind, one, two = acquire(ARGV[18], ARGV[19], tonumber(ARGV[20]))
elseif op == 'settle' then
  kind, one, two = settle(ARGV[18], ARGV[19], ARGV[20], tonumber(ARGV[21]), tonumber(ARGV[22]), tonumber(ARGV[23]), tonumber(ARGV[24]), tonumber(ARGV[25]))
elseif op == 'join' then kind, one, two = join(tonumber(ARGV[18]), tonumber(ARGV[19]), tonumber(ARGV[20]))
else kind, one, two = leave() end
local starting = warm_up() > 0 and 1 or 0
return {
  kind, one, two, now, state.epoch, num('counted'), redis_now, used(), capacity(), others(), paused_for(), starting,
  text(level() * 1000), text(math.max(0, num('at') - now)),
}
