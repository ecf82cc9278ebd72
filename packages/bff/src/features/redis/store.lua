-- Stores the answer of a call, unless the answer of a later call is already stored. Ends the lease on its subject.
-- KEYS: answer, failure, lease, and changes.
-- ARGV: the fencing token, the body, the time of the request in ms on the clock of Redis, how long to keep it in ms, and the subject.
local ANSWER, FAILURE, LEASE, CHANGES = unpack(KEYS)
local token, body, requestedAt, keep, subject = unpack(ARGV)
if redis.call('GET', LEASE) == token then redis.call('DEL', LEASE) end
if tonumber(redis.call('HGET', ANSWER, 'fencingToken') or 0) >= tonumber(token) then return 0 end
redis.call('DEL', FAILURE)
redis.call('HSET', ANSWER, 'fencingToken', token, 'body', body, 'requestedAt', requestedAt)
redis.call('PEXPIRE', ANSWER, keep)
local time = redis.call('TIME')
local last = tonumber(redis.call('ZRANGE', CHANGES, -1, -1, 'WITHSCORES')[2] or 0)
redis.call('ZADD', CHANGES, string.format('%.0f', math.max(last + 1, time[1] * 1000000 + time[2])), subject)
redis.call('PEXPIRE', CHANGES, keep)
return 1
