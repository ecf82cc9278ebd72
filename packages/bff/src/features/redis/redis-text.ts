import { createHash, randomBytes } from 'node:crypto';
import type { KeptText } from '../../lib/kept-text.ts';
import type { RedisClient } from './client.ts';

/** How long an instance that has claimed text keeps the claim, in seconds. */
const LEASE_SECONDS = 60;

/** How long text is kept, in seconds. This time is longer than a key is valid. */
const KEEP_SECONDS = 400 * 86_400;

/** The text with this name. All instances with the same public address share the text. */
export function redisText(client: Pick<RedisClient, 'send'>, publicUrl: string, text: string): KeptText {
  const instance = randomBytes(9).toString('base64url');
  const name = `pulse:${text}:${createHash('sha256').update(publicUrl).digest('base64url').slice(0, 22)}`;
  const lease = `${name}:sender`;
  return {
    isLasting: true,
    claim: async () => {
      const taken = await client.send((redis) => redis.set(lease, instance, 'EX', LEASE_SECONDS, 'NX'));
      if (taken === 'OK') return true;
      if ((await client.send((redis) => redis.get(lease))) !== instance) return false;
      return (await client.send((redis) => redis.expire(lease, LEASE_SECONDS))) === 1;
    },
    load: async () => (await client.send((redis) => redis.get(name))) ?? undefined,
    save: async (changed) => {
      await client.send((redis) => redis.set(name, changed, 'EX', KEEP_SECONDS));
    },
  };
}
