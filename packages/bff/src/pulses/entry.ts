import { isList } from '../upstream/target.ts';
import type { Answer } from '../upstream/upstream.ts';

/** The last good response for a target. Immutable. Its account may be known from other responses. */
export interface Entry extends Omit<Answer, 'ok' | 'host'> {
  /** For the list: the IDs that have ever been in it. */
  readonly listed: readonly string[];
}

/** The size of an entry without its text. */
const ENTRY_BYTES = 512;

/** The approximate amount of memory that an entry uses. */
export function sizeOf({ value }: Entry): number {
  let bytes = ENTRY_BYTES;
  for (const part of value === null ? [] : isList(value) ? value.rows : [value])
    for (const field of Object.values(part)) if (typeof field === 'string') bytes += 2 * field.length;
  return bytes;
}
