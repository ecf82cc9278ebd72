import { type Content, isList, type SourceRows } from '../upstream/target.ts';

/** The last good response for a target. Immutable. */
export interface Entry {
  readonly value: Content;
  /** On the monotonic clock. */
  readonly requestedAt: number;
  /** In ms since the Unix epoch. */
  readonly requestedAtMs: number;
  /** Identifies the key that it was requested with. */
  readonly keyName: string;
  /** A digest of the account; undefined if no response has identified one. */
  readonly account: string | undefined;
  /** For the list: the IDs that were ever on it. */
  readonly listed: readonly string[];
}

/** The entry of the list. */
export interface ListEntry extends Entry {
  readonly value: SourceRows;
}

export function isListEntry(entry: Entry | undefined): entry is ListEntry {
  return entry !== undefined && isList(entry.value);
}

/** The size of an entry without its text. */
const ENTRY_BYTES = 512;

/** About how much memory an entry takes. */
export function sizeOf({ value }: Entry): number {
  let bytes = ENTRY_BYTES;
  for (const part of value === null ? [] : isList(value) ? value.rows : [value])
    for (const field of Object.values(part)) if (typeof field === 'string') bytes += 2 * field.length;
  return bytes;
}
