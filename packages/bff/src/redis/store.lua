-- Stores an answer unless that of a later call is there, and ends the lease on its subject. KEYS: answer, failure, lease,
-- changes. ARGV: fencing token, body, its age in ms, ms to keep it, subject.
local ANSWER, FAILURE, LEASE, CHANGES = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local token, body, age, keep, subject = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4], ARGV[5]
if redis.call('GET', LEASE) == token then redis.call('DEL', LEASE) end
if tonumber(redis.call('HGET', ANSWER, 'fencingToken') or 0) >= tonumber(token) then return 0 end
local time = redis.call('TIME')
redis.call('DEL', FAILURE)
redis.call('HSET', ANSWER, 'fencingToken', token, 'body', body, 'requestedAt', time[1] * 1000 + math.floor(time[2] / 1000) - age)
redis.call('PEXPIRE', ANSWER, keep)
local last = tonumber(redis.call('ZRANGE', CHANGES, -1, -1, 'WITHSCORES')[2] or 0)
redis.call('ZADD', CHANGES, string.format('%.0f', math.max(last + 1, time[1] * 1000000 + time[2])), subject)
redis.call('PEXPIRE', CHANGES, keep)
return 1
