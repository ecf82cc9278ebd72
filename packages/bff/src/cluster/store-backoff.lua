-- Writes down that a call failed, for all who would ask the same before its rest is over. KEYS: rest, leases.
-- ARGV: body, ms to keep it, channel, message, subject, instance.
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
local lease = redis.call('HGET', KEYS[2], ARGV[5])
if lease and string.match(lease, '^(%S+)') == ARGV[6] then redis.call('HDEL', KEYS[2], ARGV[5]) end
redis.call('PUBLISH', ARGV[3], ARGV[4])
return 1
