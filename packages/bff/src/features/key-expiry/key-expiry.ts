import { KEY_EXPIRES_IN_DAYS } from '@pulse-card/contract';
import { z } from 'zod';
import type { Base } from '../../config.ts';
import { type StoredText, valueIn } from '../../lib/stored-text.ts';

const DAY_MS = 86_400_000;

/** The name of the stored text that records when each key was first seen. */
export const KEYS_TEXT = 'keys';

/**
 * When a key expires: on the stated day, or 90 days after the key was first seen. Undefined if neither is known.
 * `statedDay`: `PULSE_API_KEY_EXPIRES`, if it belongs to the key. `firstSeenMs`: when the key was first seen, in ms
 * since the Unix epoch, if this is stored.
 */
export function keyExpiry(
  { statedDay, firstSeenMs }: { readonly statedDay?: string | undefined; readonly firstSeenMs?: number | undefined },
  nowMs: number,
) {
  if (statedDay === undefined && firstSeenMs === undefined) return undefined;
  const day = statedDay ?? dayOf((firstSeenMs ?? 0) + KEY_EXPIRES_IN_DAYS * DAY_MS);
  const inDays = Math.round((Date.parse(day) - Date.parse(dayOf(nowMs))) / DAY_MS);
  return {
    /** The expiration date in UTC, such as `2027-02-20`. */
    day,
    /** The number of days from today (UTC) to that day; negative if it is past. */
    inDays,
    /** Whether the day is an estimate based on when the key was first seen. */
    isGuess: statedDay === undefined,
  };
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

const seenSchema = z.object({ firstSeen: z.record(z.string(), z.number().int().nonnegative()) });

/**
 * When each key was first seen. Each key is identified by a name that doesn't reveal it. Rejects if the storage can't
 * be reached.
 */
export async function keysSeen(text: Pick<StoredText, 'load'>): Promise<Readonly<Record<string, number>>> {
  return valueIn(seenSchema, await text.load())?.firstSeen ?? {};
}

type KeyExpiryParts = Base & Readonly<{ key: { readonly name: string }; text: StoredText }>;

/** Tracks when the key in use expires, including after a rotation. */
export function openKeyExpiry({ config, key, text, clock, log }: KeyExpiryParts) {
  const keyAtStart = key.name;
  let firstSeen: Readonly<Record<string, number>> = {};
  /** Undefined if the day is unknown. */
  const current = () => {
    const statedDay = key.name === keyAtStart ? config.apiKeyExpires : undefined;
    return keyExpiry({ statedDay, firstSeenMs: text.isLasting ? firstSeen[key.name] : undefined }, clock.wallNow());
  };
  const { inDays = 0, day } = current() ?? {};
  const past = `PULSE_API_KEY_EXPIRES is in the past (${day}): set it to the current key’s expiration date`;
  if (inDays < 0) log.warn(past);
  return {
    current,
    /** Records that the key in use was seen. Rejects if the storage can't be reached. */
    async note(): Promise<void> {
      const isNoted = () => Object.hasOwn(firstSeen, key.name);
      if (!isNoted()) firstSeen = await keysSeen(text);
      if (isNoted()) return;
      const changed = { ...firstSeen, [key.name]: clock.wallNow() };
      await text.save(JSON.stringify({ firstSeen: changed }));
      firstSeen = changed;
    },
  };
}
