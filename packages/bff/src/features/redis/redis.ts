import { createHash, createHmac, randomBytes, randomUUID } from 'node:crypto';
import { readSecret } from '../../config.ts';
import { repeat } from '../../lib/clock.ts';
import type { StoredText } from '../../lib/stored-text.ts';
import type { Entry } from '../../pulses/entry-format.ts';
import type { OpenStoreParts } from '../../pulses/shared-in-process.ts';
import type { SharedStore } from '../../pulses/shared-store.ts';
import { RedisCallBudget } from './budget.ts';
import type { RedisClient, ScriptedRedis } from './client.ts';

/**
 * The version of the stored data. It is part of every key name, so budgets and responses of different versions are
 * separate.
 */
const FORMAT = 4;

/** How often the shared log and the eviction policy are read, in ms. */
const LOOK_EVERY_MS = 1_000;
const READ_POLICY_EVERY_MS = 60_000;

/** Releases a lock. It may have ended, and another instance may hold it now. */
const UNLOCK = "if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end";

/** How long an instance that acts on named text keeps its claim, and how long the text is stored, in seconds. */
const SECONDS = { claimed: 60, kept: 400 * 86_400 };

/**
 * Opens the responses and the budget that all instances with the same key share in Redis (`REDIS_URL`). The client is
 * loaded only if it is needed. Rejects with a `ConfigError` if the file doesn't contain a URL.
 */
export async function openRedis(parts: OpenStoreParts): Promise<SharedStore | undefined> {
  const { config, key, clock, budget } = parts;
  const { redisUrl, redisUrlFile, baseUrl } = config;
  const url = await readSecret('REDIS_URL', redisUrl, redisUrlFile);
  if (url === undefined) return undefined;
  const client = new (await import('./client.ts')).RedisClient(url, clock);
  // The prefix is tied to a key at a service but doesn't reveal the key. The braces keep all names in one slot of a
  // cluster.
  const hmac = () => createHmac('sha256', key.derive('pulse-card namespace 1')).update(JSON.stringify([baseUrl]));
  const prefix = () => `pulse:{${hmac().digest().subarray(0, 16).toString('base64url')}}:${FORMAT}`;
  const calls = new RedisCallBudget(budget, { client, clock, prefix });
  await client.open();
  await calls.look();
  void client.readEvictionPolicy();
  const ends = [
    repeat(clock, LOOK_EVERY_MS, () => calls.look()),
    repeat(clock, READ_POLICY_EVERY_MS, () => client.readEvictionPolicy()),
  ];
  return {
    budget: calls,
    ...sharedAnswers(parts, client, prefix),
    text: (name) => redisText(client, config.publicUrl, name),
    status: () => client.status(),
    close: () => {
      for (const end of ends) end();
      client.close();
    },
  };
}

/**
 * The last good responses of all instances, and a short lock per target. While Redis is lost, there are no shared
 * responses or locks.
 */
function sharedAnswers({ config, clock, format }: OpenStoreParts, client: RedisClient, prefix: () => string) {
  const instance = randomUUID();
  const keepMs = Math.max(1_000, config.freshMs + config.staleMs);
  const nameOf = (kind: string, target: string): string => `${prefix()}:${kind}:${target}`;
  return {
    async load(target: string): Promise<Entry | undefined> {
      const name = nameOf('answer', target);
      const kept = client.send((redis) => Promise.all([redis.get(name), redis.pttl(name)]));
      const [text, ttlMs] = await kept.catch(() => [null, 0] as const);
      // Redis knows how long ago the response was requested, even if the instances’ clocks differ.
      const stored = format.read(text ?? '', Math.max(0, keepMs - ttlMs));
      return stored?.target === target ? stored.entry : undefined;
    },
    save(target: string, entry: Entry): void {
      const leftMs = Math.max(1, Math.round(keepMs - (clock.now() - entry.requestedAt)));
      client
        .send((redis) => redis.set(nameOf('answer', target), format.write(target, entry), 'PX', leftMs))
        .catch(() => {});
    },
    async lock(target: string, forMs: number): Promise<boolean> {
      const take = (redis: ScriptedRedis) => redis.set(nameOf('lock', target), instance, 'PX', Math.ceil(forMs), 'NX');
      return (await client.send(take).catch(() => 'OK')) === 'OK';
    },
    unlock(target: string): void {
      client.send((redis) => redis.eval(UNLOCK, 1, nameOf('lock', target), instance)).catch(() => {});
    },
  };
}

/** Named text that all instances with the same public URL share. Only one of these instances acts on it. */
function redisText(client: RedisClient, publicUrl: string, text: string): StoredText {
  const instance = randomBytes(9).toString('base64url');
  const name = `pulse:${text}:${createHash('sha256').update(publicUrl).digest('base64url').slice(0, 22)}`;
  const lease = `${name}:sender`;
  const get = (of: string) => client.send((redis) => redis.get(of));
  return {
    isLasting: true,
    claim: async () => {
      if ((await client.send((redis) => redis.set(lease, instance, 'EX', SECONDS.claimed, 'NX'))) === 'OK') return true;
      if ((await get(lease)) !== instance) return false;
      return (await client.send((redis) => redis.expire(lease, SECONDS.claimed))) === 1;
    },
    load: async () => (await get(name)) ?? undefined,
    save: async (changed) => void (await client.send((redis) => redis.set(name, changed, 'EX', SECONDS.kept))),
  };
}
