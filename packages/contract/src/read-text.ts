import { z } from 'zod';
import { cutText } from './text.ts';

/** Text, cut to `limit` code units, with U+FFFD for lone surrogates. A value that isn't text is null. */
export function readText(limit: number) {
  return z
    .string()
    .transform((text) => cutText(text.toWellFormed(), limit))
    .nullable()
    .catch(null);
}
