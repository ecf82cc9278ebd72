import type { Problem } from '../../observability/problem.ts';

/** How many days a new key from the service is valid. */
const KEY_LIFETIME_DAYS = 90;

const DAY_MS = 86_400_000;

/** When the key in use expires. */
export interface KeyExpiry {
  /** The day of expiry in UTC, such as `2027-02-20`. */
  readonly day: string;
  /** The number of days from today (UTC) to the day of expiry; negative if that day is past. */
  readonly inDays: number;
  /** Whether the day is an estimate, based on when the key was first seen. */
  readonly isGuess: boolean;
}

export interface KeyExpiryFacts {
  /** `PULSE_API_KEY_EXPIRES`, if it belongs to the key in use. */
  readonly statedDay?: string | undefined;
  /** When the key in use was first seen, in ms since the Unix epoch; undefined if this isn't stored. */
  readonly firstSeenMs?: number | undefined;
}

/**
 * When the key in use expires. The expiry is the configured day, or else 90 days after the key was first seen.
 * Undefined if neither date is known.
 */
export function keyExpiry({ statedDay, firstSeenMs }: KeyExpiryFacts, nowMs: number): KeyExpiry | undefined {
  if (statedDay !== undefined) return { day: statedDay, inDays: daysUntil(statedDay, nowMs), isGuess: false };
  if (firstSeenMs === undefined) return undefined;
  const day = dayOf(firstSeenMs + KEY_LIFETIME_DAYS * DAY_MS);
  return { day, inDays: daysUntil(day, nowMs), isGuess: true };
}

/** The key's expiry as readable text: `on 2027-02-20, in 15 days`. */
export function expiryWords({ day, inDays, isGuess }: KeyExpiry): string {
  const guess = isGuess ? ' (a guess: 90 days after it was first seen here; PULSE_API_KEY_EXPIRES states the day)' : '';
  const distance = inDays === 0 ? 'today' : new Intl.RelativeTimeFormat('en').format(inDays, 'day');
  return `on ${day}, ${distance}${guess}`;
}

/** The key's expiry is a problem if it is at most this many days away. */
const DAYS_BEFORE_END = 15;

/** The problem that the key expires soon. Undefined if the key doesn't expire soon, or if its expiry is unknown. */
export function keyEndsProblem(expiry: KeyExpiry | undefined): Problem[] {
  if (expiry === undefined || expiry.inDays > DAYS_BEFORE_END) return [];
  return [
    {
      code: 'key_ends',
      level: 'degraded',
      headline: `The API key expires ${expiryWords(expiry)}.`,
      advice: 'Create a new key and write it to the file set in PULSE_API_KEY_FILE, or set PULSE_API_KEY and restart.',
    },
  ];
}

function daysUntil(day: string, nowMs: number): number {
  return Math.round((Date.parse(day) - Date.parse(dayOf(nowMs))) / DAY_MS);
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
