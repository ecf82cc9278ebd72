import { z } from 'zod';

const DAY_MS = 86_400_000;

/**
 * The schema of a time that was stored: whole milliseconds since the Unix epoch, at most a day ahead of `wallNow()`. A time
 * further ahead is damage, and `toISOString()` throws for the largest ones.
 */
export function storedTime(wallNow: () => number) {
  return z
    .int()
    .nonnegative()
    .refine((ms) => ms <= wallNow() + DAY_MS, 'is more than a day ahead');
}
