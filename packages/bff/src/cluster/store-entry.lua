-- Writes an answer down unless a newer one is there, ends what was remembered of failures and the lease on its subject, and
-- tells all instances. KEYS: answer, rest, leases. ARGV: fencing token, body, ms to keep it, channel, message, subject.
local read, before = pcall(redis.call, 'HGET', KEYS[1], 'fencingToken')
if not read or type(before) == 'table' then redis.call('DEL', KEYS[1]) before = false end
local is_newer = not before or (tonumber(before) or 0) < tonumber(ARGV[1])
if is_newer then
  redis.call('DEL', KEYS[2])
  redis.call('HSET', KEYS[1], 'fencingToken', ARGV[1], 'body', ARGV[2])
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
end
local lease = redis.call('HGET', KEYS[3], ARGV[6])
if lease and string.match(lease, '^%S+ (%S+)') == ARGV[1] then redis.call('HDEL', KEYS[3], ARGV[6]) end
if is_newer then redis.call('PUBLISH', ARGV[4], ARGV[5]) return 1 end
return 0
