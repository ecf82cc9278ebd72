import { z } from 'zod';

/** The maximum length of the text that a client keeps in a field, in UTF-16 code units. The rest is cut off. */
export const TEXT_LIMITS = { name: 1_000, summaryShort: 4_000, summaryLong: 60_000, url: 2_048 } as const;

/** Cuts `text` to `limit` code units without splitting a surrogate pair, and marks the cut. */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const kept = text.slice(0, limit - 1);
  return (kept.isWellFormed() ? kept : kept.slice(0, -1)) + '…';
}

/** Text, cut to `limit` code units, with U+FFFD for lone surrogates. A value that isn't text is null. */
export function readText(limit: number) {
  return z
    .string()
    .transform((text) => cutText(text.toWellFormed(), limit))
    .nullable()
    .catch(null);
}
