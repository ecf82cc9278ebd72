import { cleanLine } from '@pulse-card/contract';

/**
 * Each unit, with its length in ms and the smallest number for which it is used. For example, 90 seconds isn't shown as
 * "2 minutes".
 */
const UNITS = [
  ['day', 86_400_000, 2],
  ['hour', 3_600_000, 2],
  ['minute', 60_000, 1],
  ['second', 1_000, 0],
] as const;

/** A human-readable duration with one unit: `1 second`, `6 minutes`, `23 hours`. */
export function durationWords(ms: number): string {
  const [unit, unitMs] = UNITS.find(([, lengthMs, min]) => ms >= min * lengthMs) ?? UNITS[3];
  return plural(Math.max(1, Math.round(ms / unitMs)), unit);
}

/** A count with its unit: `1 call`, `3 calls`. */
export function plural(count: number, unit: string): string {
  return count === 1 ? `1 ${unit}` : `${count} ${unit}s`;
}

const MAX_NAME = 80;

/** A third-party name in quotation marks, cleaned and truncated to 80 characters. */
export function quoted(name: string): string {
  return `"${cleanLine(name, MAX_NAME)}"`;
}

/** Describes when the key expires: `on 2027-02-20, in 15 days`. */
export function expiryWords({ day, inDays, isGuess }: { day: string; inDays: number; isGuess: boolean }): string {
  const guess = isGuess ? ' (a guess: 90 days after it was first seen here; PULSE_API_KEY_EXPIRES states the day)' : '';
  const distance = inDays === 0 ? 'today' : new Intl.RelativeTimeFormat('en').format(inDays, 'day');
  return `on ${day}, ${distance}${guess}`;
}
