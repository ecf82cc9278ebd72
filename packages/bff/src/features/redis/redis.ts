import { createHash, createHmac, randomBytes } from 'node:crypto';
import { idSchema, readPulseSchema, readSourceSchema } from '@pulse-card/contract';
import { z } from 'zod';
import { type Config, readUrlLine } from '../../config.ts';
import { repeat } from '../../lib/clock.ts';
import type { KeptText } from '../../lib/kept-text.ts';
import type { Secret } from '../../lib/secret.ts';
import { readSecretLine } from '../../lib/secret-file.ts';
import { keptJson, lacksField } from '../../pulses/kept-fields.ts';
import { checkedJson, withChecksum } from '../../pulses/kept-files.ts';
import type { OpenStoreParts } from '../../pulses/shared.ts';
import type { KeptAnswer, SharedStore } from '../../pulses/store.ts';
import { isList, LIST } from '../../upstream/target.ts';
import { RedisCallBudget } from './budget.ts';
import type { RedisClient } from './client.ts';

/** The version of the stored data. It is part of all names, so each version has its own budget and answers. */
const FORMAT = 3;

/** How often the shared log is read, and the eviction policy, in ms. */
const LOOK_EVERY_MS = 1_000;
const POLICY_EVERY_MS = 60_000;

/** How long an instance that acts on a text keeps its claim, and how long texts are kept, in seconds. */
const LEASE_SECONDS = 60;
const KEEP_SECONDS = 400 * 86_400;

const listSchema = z.object({ rows: z.array(readSourceSchema), unreadableRows: z.int() });
const answerSchema = z.object({
  fields: z.array(z.string()),
  requestedAtMs: z.int(),
  /** The age when it was stored, in ms. Redis knows how long ago that was. */
  ageMs: z.number().nonnegative(),
  account: z.string().optional(),
  listed: z.array(idSchema).optional(),
  value: z.union([readPulseSchema, listSchema]).nullable(),
});

/** The URL of Redis; undefined if none is configured. Rejects with a `ConfigError` if the file has none. */
async function redisUrlOf({ redisUrl, redisUrlFile }: Config): Promise<Secret | undefined> {
  if (redisUrlFile === undefined) return redisUrl;
  return readUrlLine('REDIS_URL_FILE', (await readSecretLine('REDIS_URL_FILE', redisUrlFile)).trim());
}

/**
 * Opens the answers and the budget that all instances with the same key share in Redis (`REDIS_URL`). The client is loaded only
 * if it is needed.
 */
export async function openRedis(parts: OpenStoreParts): Promise<SharedStore | undefined> {
  const { config, key, clock, budget } = parts;
  const url = await redisUrlOf(config);
  if (url === undefined) return undefined;
  const client = new (await import('./client.ts')).RedisClient(url, clock);
  const prefix = (): string => prefixOf(key.derive('pulse-card namespace 1'), config.baseUrl);
  const calls = new RedisCallBudget(budget, { client, clock, prefix });
  const answers = new RedisAnswers({ ...parts, client, prefix });
  await client.open();
  await calls.look();
  const ends = [
    repeat(clock, LOOK_EVERY_MS, () => calls.look()),
    repeat(clock, POLICY_EVERY_MS, () => client.readEvictionPolicy()),
  ];
  void client.readEvictionPolicy();
  return {
    budget: calls,
    load: (target) => answers.load(target),
    save: (target, answer) => answers.save(target, answer),
    lock: (target, forMs) => answers.lock(target, forMs),
    unlock: (target) => answers.unlock(target),
    text: (name) => redisText(client, config.publicUrl, name),
    status: () => client.status(),
    close: () => {
      for (const end of ends) end();
      client.close();
    },
  };
}

/**
 * The prefix of the names that belong to a key at a service. It doesn't reveal the key. The braces keep the names in one
 * slot of a Redis cluster.
 */
function prefixOf(secret: Buffer, baseUrl: string): string {
  const digest = createHmac('sha256', secret)
    .update(JSON.stringify([baseUrl]))
    .digest();
  return `pulse:{${digest.subarray(0, 16).toString('base64url')}}:${FORMAT}`;
}

interface RedisAnswersParts extends Pick<OpenStoreParts, 'config' | 'clock' | 'key'> {
  readonly client: Pick<RedisClient, 'send'>;
  readonly prefix: () => string;
}

/** The last good answers of all instances, and a short lock per target. While Redis is lost, there are none. */
class RedisAnswers {
  readonly #parts: RedisAnswersParts;
  readonly #instance = randomBytes(9).toString('base64url');
  /** Until when this instance holds the lock of a target. */
  readonly #locks = new Map<string, number>();

  constructor(parts: RedisAnswersParts) {
    this.#parts = parts;
  }

  async load(target: string): Promise<KeptAnswer | undefined> {
    const { client, config, clock, key } = this.#parts;
    const name = this.#name('answer', target);
    try {
      const [text, ttlMs] = await client.send((redis) => Promise.all([redis.get(name), redis.pttl(name)]));
      const { fields, ageMs: ageThen, ...answer } = answerSchema.parse(JSON.parse(checkedJson(text ?? '')));
      if (!isAbout(target, answer.value)) return undefined;
      const ageMs = ageThen + Math.max(0, this.#keepMs - ttlMs);
      const isLacking = lacksField(fields, config.expose);
      const requestedAtMs = Math.min(answer.requestedAtMs, clock.wallNow());
      const { account, listed = [] } = answer;
      return {
        ...answer,
        account,
        listed,
        requestedAtMs,
        keyName: key.name,
        ageMs: isLacking ? Math.max(ageMs, config.freshMs) : ageMs,
      };
    } catch {
      return undefined;
    }
  }

  save(target: string, { value, requestedAtMs, account, ageMs, listed }: KeptAnswer): void {
    const { client, config } = this.#parts;
    const text = withChecksum(keptJson({ requestedAtMs, ageMs, account, listed, value }, config.expose));
    const name = this.#name('answer', target);
    client.send((redis) => redis.set(name, text, 'PX', this.#keepMs)).catch(() => {});
  }

  async lock(target: string, forMs: number): Promise<boolean> {
    const { client, clock } = this.#parts;
    const name = this.#name('lock', target);
    const taken = await client
      .send((redis) => redis.set(name, this.#instance, 'PX', Math.ceil(forMs), 'NX'))
      .catch(() => 'OK');
    if (taken === 'OK') this.#locks.set(target, clock.now() + forMs);
    return taken === 'OK';
  }

  unlock(target: string): void {
    const { client, clock } = this.#parts;
    const isHeld = (this.#locks.get(target) ?? 0) > clock.now();
    this.#locks.delete(target);
    if (isHeld) client.send((redis) => redis.del(this.#name('lock', target))).catch(() => {});
  }

  get #keepMs(): number {
    const { freshMs, staleMs } = this.#parts.config;
    return Math.max(1_000, freshMs + staleMs);
  }

  #name(kind: string, target: string): string {
    return `${this.#parts.prefix()}:${kind}:${target}`;
  }
}

function isAbout(target: string, value: KeptAnswer['value']): boolean {
  if (target === LIST) return value !== null && isList(value);
  return value === null || (!isList(value) && value.sourceId === target);
}

/** A text that all instances with the same public URL share. Of these instances, one acts on it. */
function redisText(client: Pick<RedisClient, 'send'>, publicUrl: string, text: string): KeptText {
  const instance = randomBytes(9).toString('base64url');
  const name = `pulse:${text}:${createHash('sha256').update(publicUrl).digest('base64url').slice(0, 22)}`;
  const lease = `${name}:sender`;
  return {
    isLasting: true,
    claim: async () => {
      if ((await client.send((redis) => redis.set(lease, instance, 'EX', LEASE_SECONDS, 'NX'))) === 'OK') return true;
      if ((await client.send((redis) => redis.get(lease))) !== instance) return false;
      return (await client.send((redis) => redis.expire(lease, LEASE_SECONDS))) === 1;
    },
    load: async () => (await client.send((redis) => redis.get(name))) ?? undefined,
    save: async (changed) => {
      await client.send((redis) => redis.set(name, changed, 'EX', KEEP_SECONDS));
    },
  };
}
