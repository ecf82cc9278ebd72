import { type Config, ConfigError } from '../../config/config.ts';
import { redisAddress } from '../../config/schemas.ts';
import { readSecretLine } from '../../config/secret-file.ts';
import type { Secret } from '../../lib/secret.ts';

/** The address of Redis; undefined if none is configured. Rejects with a `ConfigError` if its file contains no address. */
export async function redisAddressOf({
  redis,
  redisFile,
}: Pick<Config, 'redis' | 'redisFile'>): Promise<Secret | undefined> {
  if (redisFile === undefined) return redis;
  const read = redisAddress.safeParse((await readSecretLine('REDIS_URL_FILE', redisFile)).trim());
  if (read.success) return read.data;
  throw new ConfigError([`REDIS_URL_FILE: its line ${read.error.issues[0]?.message}`]);
}
