import { z } from 'zod';

const DAY_MS = 86_400_000;

/**
 * The schema of a stored time: whole milliseconds since the Unix epoch, at most a day after `wallNow()`. A time further
 * in the future must be damaged, and `toISOString()` throws for the largest numbers.
 */
export function storedTime(wallNow: () => number) {
  return z
    .int()
    .nonnegative()
    .refine((ms) => ms <= wallNow() + DAY_MS, 'is more than a day in the future');
}
