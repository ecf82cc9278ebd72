import { z } from 'zod';
import type { KeptText } from '../../lib/kept-text.ts';
import { storedTime } from '../../lib/stored-time.ts';

/** The number of keys for which the day of the first use is stored. */
const MAX_KEYS = 5;

const recordSchema = z.object({
  version: z.literal(1),
  /**
   * When each key was first seen, in ms since the Unix epoch, by the key's name. The name doesn't reveal the key.
   */
  firstSeen: z.record(z.string().max(64), storedTime(Date.now)),
  /** The alerts that were sent, by topic. */
  sent: z.record(z.string().max(300), z.object({ stage: z.string().max(40), headline: z.string().max(1_000) })),
});

/** The record that outlives a restart. The record contains when keys were first seen, and which alerts were sent. */
export type AlertRecord = Omit<z.infer<typeof recordSchema>, 'version'>;

const EMPTY: AlertRecord = { firstSeen: {}, sent: {} };

/** Keeps the record. Rejects if the record can't be read or written now. */
export interface AlertStore {
  /** Whether the record outlives this process. */
  readonly isLasting: boolean;
  /** Returns whether this instance sends the alerts of all instances that share the store. */
  claim(): Promise<boolean>;
  load(): Promise<AlertRecord>;
  save(record: AlertRecord): Promise<void>;
}

/** A store that keeps the record in `text`. */
export function alertStore(text: KeptText): AlertStore {
  return {
    isLasting: text.isLasting,
    claim: () => text.claim(),
    load: async () => recordIn(await text.load()),
    save: (record) => text.save(textOf(record)),
  };
}

/** Reads the record from its stored text. The record is empty if nothing is stored, or if the text can't be read. */
function recordIn(text: string | undefined): AlertRecord {
  try {
    const { firstSeen, sent } = recordSchema.parse(JSON.parse(text ?? ''));
    return { firstSeen, sent };
  } catch {
    return EMPTY;
  }
}

function textOf({ firstSeen, sent }: AlertRecord): string {
  return JSON.stringify({ version: 1, firstSeen, sent });
}

/**
 * Returns the record, with `nowMs` as the time when `keyName` was first seen. If the key has an earlier time, the
 * earlier time is kept. Only the newest keys are stored.
 */
export function withKeySeen(record: AlertRecord, keyName: string, nowMs: number): AlertRecord {
  if (Object.hasOwn(record.firstSeen, keyName)) return record;
  const newest = Object.entries(record.firstSeen)
    .sort(([, a], [, b]) => b - a)
    .slice(0, MAX_KEYS - 1);
  return { ...record, firstSeen: Object.fromEntries([...newest, [keyName, nowMs]]) };
}
