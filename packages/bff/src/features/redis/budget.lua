-- The call budget that all instances with the same key share. It follows the rules of LocalCallBudget, on the clock of Redis.
-- A lease prevents two simultaneous calls for the same subject. Answers are ordered by a fencing token, which continues to grow
-- even if Redis loses all its data.
-- KEYS: state, calls, and the lease, answer, and failure of one subject.
-- ARGV: limit, reserve, window, the maximum duration of a call including the age of its permit, how late a call may arrive, calls
-- per ms, burst, and poll. Then come the operation (look, acquire, or settle) and its arguments. Times are in ms. See
-- `RedisCallBudget`.
local STATE, CALLS, LEASE, ANSWER, FAILURE = unpack(KEYS)
local args = {}
for i, text in ipairs(ARGV) do args[i] = tonumber(text) or text end
local LIMIT, RESERVE, WINDOW, CALL, LATE, RATE, BURST, POLL, OPERATION = unpack(args)
local MONTH, MIN_PAUSE, MAX_PAUSE = 2592000000, 1000, math.min(300000, WINDOW)

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local state = {}
local fields = redis.call('HGETALL', STATE)
for i = 1, #fields, 2 do state[fields[i]] = tonumber(fields[i + 1]) end
local function get(field) return state[field] or 0 end
local function set(values)
  for field, value in pairs(values) do
    state[field] = value
    redis.call('HSET', STATE, field, string.format('%.17g', value))
  end
end

-- Without an epoch, the number of recent calls is unknown, so all instances wait for one window. They also wait if the clock was
-- set back.
if not state.epoch or get('at') > now + 2 * WINDOW + CALL + LATE then
  redis.call('DEL', STATE, CALLS)
  state = { token = state.token }
  set({ epoch = now, level = BURST, at = now + WINDOW })
end
-- Every run writes something, so that it fails if Redis is full or is a replica. Such a Redis can't count calls.
set({ at = get('at') })
redis.call('PEXPIRE', STATE, MONTH)
redis.call('ZREMRANGEBYSCORE', CALLS, '-inf', '(' .. now)

local function used() return redis.call('ZCARD', CALLS) end
local function in_flight() return redis.call('ZCOUNT', CALLS, '(' .. (now + WINDOW), '+inf') end
local function others() return get('othersUntil') > now and get('others') or 0 end
local function starting_for() return math.max(0, get('epoch') + WINDOW - now) end
local function paused_for() return math.max(0, get('pausedUntil') - now) end
local function level() return math.max(0, get('level') - math.max(0, now - get('at')) * RATE) end
local function put_in_bucket(calls) set({ level = math.max(0, level() + calls), at = math.max(get('at'), now) }) end

local function capacity()
  local limit = get('limitUntil') > now and math.min(LIMIT, get('limit')) or LIMIT
  local room = others() > 0 and math.min(RESERVE, math.ceil(0.1 * limit)) or 0
  return math.max(1, math.min(limit - RESERVE, limit - others() - room))
end

-- Calls are made one at a time after a 429 until an answer isn't a 429, and after the end of a lower limit until the next answer.
local function is_uncertain()
  return get('limitedInARow') > 0 or (state.limit and state.limit < LIMIT and get('limitUntil') <= now)
end

local function log_retry()
  local too_many = used() - capacity()
  if too_many < 0 then return 0 end
  local counts_until = tonumber(redis.call('ZRANGE', CALLS, too_many, too_many, 'WITHSCORES')[2])
  return counts_until > now + WINDOW and POLL or counts_until - now + 1
end

local function bucket_retry()
  local leak = math.ceil((level() + 1 - BURST) / RATE - 1e-6)
  return leak <= 0 and 0 or leak + math.max(0, get('at') - now)
end

local function refusal()
  if starting_for() > 0 then return 'starting', starting_for() end
  if paused_for() > 0 then return 'paused', paused_for() end
  if is_uncertain() and in_flight() > 0 then return 'paused', POLL end
  local retry = log_retry()
  if retry > 0 then set({ level = level(), at = math.max(get('at'), now + retry) }) end
  retry = math.max(retry, bucket_retry())
  if retry > 0 then return 'budget', retry end
end

-- `seen` is the fencing token of the caller's answer, or -1 if the caller can't use the answers of other instances. If a newer answer
-- is stored, the call is refused for the duration of a call. An instance that hasn't loaded that answer by then can't use it.
local function acquire(seen)
  local leased_for = redis.call('PTTL', LEASE)
  if leased_for > 0 then return 'in-flight-elsewhere', math.min(POLL, leased_for) end
  local answer = redis.call('HMGET', ANSWER, 'fencingToken', 'requestedAt')
  local stored, requested_at = tonumber(answer[1] or 0), tonumber(answer[2] or 0)
  local is_new = seen >= 0 and stored > seen and now < requested_at + CALL
  if is_new or redis.call('EXISTS', FAILURE) == 1 then return 'in-flight-elsewhere', 1 end
  local reason, retry = refusal()
  if reason then return reason, retry end
  local token = math.max(get('token') + 1, stored + 1, time[1] * 1000000 + time[2])
  local name = string.format('%.0f', token)
  set({ token = token })
  put_in_bucket(1)
  redis.call('ZADD', CALLS, now + CALL + LATE + WINDOW, name)
  redis.call('PEXPIRE', CALLS, MONTH)
  redis.call('SET', LEASE, name, 'PX', CALL)
  return 'granted', token
end

local function pause(ms)
  set({ pausedUntil = math.max(get('pausedUntil'), now + math.min(MAX_PAUSE, math.max(MIN_PAUSE, ms))) })
end

-- Applies the headers and the status of an answer. The value of a missing header is -1.
local function learn(fate, limit, remaining, reset, is_limited, retry_after)
  local by_others = math.max(0, (limit >= 0 and limit or LIMIT) - remaining - used())
  local was_paused = paused_for() > 0
  if limit >= 0 then set({ limit = limit, limitUntil = now + WINDOW }) end
  if remaining >= 0 and by_others >= others() then set({ others = by_others, othersUntil = now + WINDOW }) end
  if remaining == 0 then pause(reset >= 0 and reset or WINDOW) end
  if is_limited == 1 then
    if not was_paused then set({ limitedInARow = math.min(10, get('limitedInARow') + 1) }) end
    local said = math.max(retry_after, reset)
    pause(said > 0 and said or math.min(60000, MIN_PAUSE * 2 ^ (get('limitedInARow') - 1)))
  elseif fate == 'answered' then
    set({ limitedInARow = 0 })
    if state.limit and get('limitUntil') <= now then set({ limit = LIMIT }) end
  end
end

-- Keeps the lease for up to a second, because the caller next stores the answer, which ends the lease. Until then, no instance makes
-- the same call.
local function settle(token, fate, ...)
  learn(fate, ...)
  local name = string.format('%.0f', token)
  if fate ~= 'unsent' then redis.call('ZADD', CALLS, 'XX', now + WINDOW + (fate == 'lost' and LATE or 0), name)
  elseif redis.call('ZREM', CALLS, name) == 1 then put_in_bucket(-math.max(0, 1 - (now - token / 1000) * RATE)) end
  if redis.call('GET', LEASE) == name then redis.call('PEXPIRE', LEASE, fate == 'unsent' and 0 or 1000) end
  return 'settled', 0
end

local operations = { look = function() return 'looked', 0 end, acquire = acquire, settle = settle }
local kind, number = operations[OPERATION](unpack(args, 10))
local left = paused_for() > 0 and 0 or math.min(capacity() - used(), math.floor(BURST - level() + 1e-9))
return {
  kind, math.ceil(number), used(), math.max(0, left), capacity(), others(), paused_for(), starting_for(), get('token'),
}
