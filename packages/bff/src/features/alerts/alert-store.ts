import { z } from 'zod';
import type { KeptText } from '../../lib/kept-text.ts';
import { storedTime } from '../../lib/stored-time.ts';

/** Keys whose first day is stored. */
const MAX_KEYS = 5;

const recordSchema = z.object({
  version: z.literal(1),
  /** When each key was first seen, in ms since the Unix epoch, by the name of the key. The name doesn't reveal the key. */
  firstSeen: z.record(z.string().max(64), storedTime(Date.now)),
  /** The alerts that were sent, by topic. */
  sent: z.record(z.string().max(300), z.object({ stage: z.string().max(40), headline: z.string().max(1_000) })),
});

/** The record that outlives a restart: when keys were first seen, and which alerts were sent. */
export type AlertRecord = Omit<z.infer<typeof recordSchema>, 'version'>;

const EMPTY: AlertRecord = { firstSeen: {}, sent: {} };

/** Keeps the record. Rejects if it cannot be read or written now. */
export interface AlertStore {
  /** The record outlives this process. */
  readonly isLasting: boolean;
  /** Returns whether, of the instances that share the store, this one sends alerts. */
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

/** The record in a text; empty if there is no text, or if it can't be read. */
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

/** The record with `keyName` first seen at `nowMs`, if it was not seen before; the newest keys are stored. */
export function withKeySeen(record: AlertRecord, keyName: string, nowMs: number): AlertRecord {
  if (Object.hasOwn(record.firstSeen, keyName)) return record;
  const newest = Object.entries(record.firstSeen)
    .sort(([, a], [, b]) => b - a)
    .slice(0, MAX_KEYS - 1);
  return { ...record, firstSeen: Object.fromEntries([...newest, [keyName, nowMs]]) };
}
