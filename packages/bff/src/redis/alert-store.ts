import { createHash, randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { type AlertStore, recordIn, textOf } from '../alerts/alert-store.ts';
import type { Secret } from '../secret.ts';

/** How long an instance sends alerts for all without saying so again, in seconds. */
const LEASE_SECONDS = 60;

/** How long the record is kept, in seconds: longer than a key lives. */
const KEEP_SECONDS = 400 * 86_400;

/** How long a command may take, in ms. */
const TIMEOUT_MS = 1_000;

/** The record of all instances with one public address, and the lease of the one that sends alerts. */
export function redisAlertStore(address: Secret, publicUrl: string): AlertStore {
  const redis = new Redis(address.reveal(), {
    connectionName: 'pulse-bff-alerts',
    maxRetriesPerRequest: 1,
    commandTimeout: TIMEOUT_MS,
  });
  // An error without a listener would end the process; the commands that fail report it.
  redis.on('error', () => {});
  const instance = randomBytes(9).toString('base64url');
  const name = `pulse:alerts:${createHash('sha256').update(publicUrl).digest('base64url').slice(0, 22)}`;
  const lease = `${name}:sender`;
  return {
    isLasting: true,
    claim: async () => {
      if ((await redis.set(lease, instance, 'EX', LEASE_SECONDS, 'NX')) === 'OK') return true;
      if ((await redis.get(lease)) !== instance) return false;
      return (await redis.expire(lease, LEASE_SECONDS)) === 1;
    },
    load: async () => recordIn(await redis.get(name)),
    save: async (record) => void (await redis.set(name, textOf(record), 'EX', KEEP_SECONDS)),
    close: () => redis.disconnect(),
  };
}
