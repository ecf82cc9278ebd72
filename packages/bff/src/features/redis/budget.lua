-- The calls that all instances made with one key, as a sliding log in a sorted set, and the pause after a 429.
-- KEYS: log, pause, capacity
-- ARGV: 1 span of the log in ms, 2 most calls in it, 3 span of a burst in ms, 4 most calls in a burst, 5 the window in
--       ms, 6 the limit, 7 the calls that are left to other users, 8 what: 'look', 'take', or 'answered',
--       9 for 'take': the name of the call; for 'answered': the pause in ms, 10 the remaining calls or -1
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local span, burstSpan, burst, window = tonumber(ARGV[1]), tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])

redis.call('ZREMRANGEBYSCORE', KEYS[1], '(0', now - span)
-- The log's first member, with a negative score, says when the log began. If Redis loses the log, it loses this, too.
redis.call('ZADD', KEYS[1], 'NX', -now, 'since')
local since = -redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2]

if ARGV[8] == 'answered' then
  local pause, remaining = tonumber(ARGV[9]), tonumber(ARGV[10])
  if pause > 0 and redis.call('PTTL', KEYS[2]) < pause then redis.call('SET', KEYS[2], 1, 'PX', pause) end
  if remaining >= 0 then
    local own = redis.call('ZCOUNT', KEYS[1], now - window, '+inf')
    local others = tonumber(ARGV[6]) - remaining - own
    if others > 0 then
      redis.call('SET', KEYS[3], math.max(1, tonumber(ARGV[6]) - tonumber(ARGV[7]) - others), 'PX', window)
    else
      redis.call('DEL', KEYS[3])
    end
  end
end

local capacity = math.min(tonumber(ARGV[2]), tonumber(redis.call('GET', KEYS[3]) or ARGV[2]))
local used = redis.call('ZCARD', KEYS[1]) - 1
local wait = math.max(0, redis.call('PTTL', KEYS[2]))
local pausedFor = wait

-- How long until fewer than `most` calls are in the last `within` ms.
local function waitFor(most, within)
  local call = redis.call('ZRANGE', KEYS[1], used - most + 1, used - most + 1, 'WITHSCORES')
  if used >= most and call[2] then wait = math.max(wait, call[2] + within - now) end
end
waitFor(capacity, span)
waitFor(burst, burstSpan)

if ARGV[8] == 'take' and wait <= 0 then
  redis.call('ZADD', KEYS[1], now, ARGV[9])
  return { 0, used + 1, capacity, pausedFor, now - since }
end
return { math.max(wait, ARGV[8] == 'take' and 1 or 0), used, capacity, pausedFor, now - since }
