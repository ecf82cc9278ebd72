import { setTimeout as pause } from 'node:timers/promises';
import { join } from 'node:path';
import { type AlertStore, alertStore } from '../features/alerts/alert-store.ts';
import { ALERTS_TEXT } from '../features/alerts/open-alerts.ts';
import { systemClock } from '../lib/clock.ts';
import type { SettingsOf } from '../config/variables.ts';
import { redisAddressOf, type redisVariables } from '../features/redis/address.ts';
import { fileText } from '../features/state-folder/file-text.ts';
import type { stateFolderVariables } from '../features/state-folder/open-state-folder.ts';

/** How long Redis may take to answer, in ms. */
const REDIS_WITHIN_MS = 2_000;

/** The time between two attempts to read from Redis, in ms. */
const TRY_EVERY_MS = 50;

interface StoreSettings extends SettingsOf<typeof redisVariables>, SettingsOf<typeof stateFolderVariables> {
  readonly publicUrl: string;
}

/**
 * Returns when the BFF with this configuration first saw the key, in ms since the Unix epoch. The time comes from Redis
 * or the state folder. Writes nothing. Calls `warn` if Redis can't be read.
 */
export async function keyFirstSeen(
  settings: StoreSettings,
  keyName: string,
  warn: (message: string) => void,
): Promise<number | undefined> {
  const address = await redisAddressOf(settings);
  if (address === undefined) {
    const { PULSE_STATE_DIR: folder } = settings;
    if (folder === undefined) return undefined;
    return (await alertStore(fileText(join(folder, `${ALERTS_TEXT}.json`))).load()).firstSeen[keyName];
  }
  const [{ RedisClient }, { redisText }] = [
    await import('../features/redis/client.ts'),
    await import('../features/redis/redis-text.ts'),
  ];
  const client = new RedisClient(address, systemClock, REDIS_WITHIN_MS);
  void client.open();
  try {
    const trials = {
      send: <Reply>(command: Parameters<typeof client.send<Reply>>[0]) => client.send(command, { isTrial: true }),
    };
    const record = await loadWithin(REDIS_WITHIN_MS, alertStore(redisText(trials, settings.publicUrl, ALERTS_TEXT)));
    if (record === undefined) warn('Cannot read from Redis (REDIS_URL), which may know when the key was first seen');
    return record?.firstSeen[keyName];
  } finally {
    client.close();
  }
}

/**
 * Returns the record; undefined if it can't be loaded in time. The first attempts fail, because the connection isn't
 * open yet.
 */
async function loadWithin(timeoutMs: number, store: AlertStore) {
  const until = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await store.load();
    } catch {
      if (performance.now() > until) return undefined;
      await pause(TRY_EVERY_MS);
    }
  }
}
