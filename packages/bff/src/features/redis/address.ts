import { z } from 'zod';
import { ConfigError } from '../../config/config.ts';
import { addressOf, readBy } from '../../config/schemas.ts';
import { readSecretLine } from '../../config/secret-file.ts';
import type { SettingsOf } from '../../config/variables.ts';
import { Secret } from '../../lib/secret.ts';

const REDIS = /^rediss?:\/\//i;

/**
 * The address of Redis: `redis:` or `rediss:` (TLS), with a user and password if they are required, and the database as
 * path.
 */
const redisAddress = readBy((text) => {
  const url = addressOf(text, REDIS, { mayHaveUser: true });
  if (url === undefined || !/^\/?\d{0,4}$/.test(url.pathname)) return undefined;
  // Throws if a "%" is not part of an encoding, because it is then unclear whether the password was encoded.
  decodeURIComponent(url.username + url.password);
  return new Secret(url.href);
}, 'must be a redis: or rediss: address such as redis://host:6379/0');

/** The variables of this backend. */
export const redisVariables = {
  REDIS_URL: redisAddress
    .optional()
    .describe(
      'The address of the Redis or Valkey server that all instances use for their shared cache and call budget',
    ),
  REDIS_URL_FILE: z
    .string()
    .optional()
    .describe('A file that contains the address of Redis, as an alternative to `REDIS_URL`. Read at startup'),
};

/**
 * The address of Redis; undefined if none is configured. Rejects with a `ConfigError` if the file that should contain
 * the address has none.
 */
export async function redisAddressOf({
  REDIS_URL: url,
  REDIS_URL_FILE: file,
}: SettingsOf<typeof redisVariables>): Promise<Secret | undefined> {
  if (file === undefined) return url;
  const read = redisAddress.safeParse((await readSecretLine('REDIS_URL_FILE', file)).trim());
  if (read.success) return read.data;
  throw new ConfigError([`REDIS_URL_FILE: the line in the file ${read.error.issues[0]?.message}`]);
}
