const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

/** A unit is used from this many of it on, so that 90 seconds are not "2 minutes" and 30 hours not "1 day". */
const MIN_OF_UNIT = { day: 2, hour: 2, minute: 1, second: 0 } as const;

/** A duration in milliseconds for people, in one unit: `1 second`, `6 minutes`, `23 hours`. */
export function durationWords(ms: number): string {
  for (const [unit, unitMs] of UNITS) {
    const count = Math.round(ms / unitMs);
    if (ms >= MIN_OF_UNIT[unit] * unitMs) return count === 1 ? `1 ${unit}` : `${count} ${unit}s`;
  }
  return '0 seconds';
}
