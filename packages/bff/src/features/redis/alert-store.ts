import { createHash, randomBytes } from 'node:crypto';
import { type AlertStore, recordIn, textOf } from '../alerts/alert-store.ts';
import type { RedisClient } from './client.ts';

/** How long an instance sends alerts for all without saying so again, in seconds. */
const LEASE_SECONDS = 60;

/** How long the record is kept, in seconds: longer than a key lives. */
const KEEP_SECONDS = 400 * 86_400;

/** The record of all instances with one public address, and the lease of the one that sends alerts. */
export function redisAlertStore(client: Pick<RedisClient, 'send'>, publicUrl: string): AlertStore {
  const instance = randomBytes(9).toString('base64url');
  const name = `pulse:alerts:${createHash('sha256').update(publicUrl).digest('base64url').slice(0, 22)}`;
  const lease = `${name}:sender`;
  return {
    isLasting: true,
    claim: async () => {
      const taken = await client.send((redis) => redis.set(lease, instance, 'EX', LEASE_SECONDS, 'NX'));
      if (taken === 'OK') return true;
      if ((await client.send((redis) => redis.get(lease))) !== instance) return false;
      return (await client.send((redis) => redis.expire(lease, LEASE_SECONDS))) === 1;
    },
    load: async () => recordIn(await client.send((redis) => redis.get(name))),
    save: async (record) => {
      await client.send((redis) => redis.set(name, textOf(record), 'EX', KEEP_SECONDS));
    },
  };
}
