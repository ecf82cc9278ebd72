import { join } from 'node:path';
import { z } from 'zod';
import { readRegularFile } from '../../lib/read-regular-file.ts';
import { replaceFile } from '../../lib/replace-file.ts';
import { storedTime } from '../../lib/stored-time.ts';

/** The file in `PULSE_STATE_DIR`. */
const FILE = 'alerts.json';

/** Keys whose first day is stored. */
const MAX_KEYS = 5;

/** The largest file. */
const MAX_BYTES = 8 * 1024 * 1024;

const recordSchema = z.object({
  version: z.literal(1),
  /** When each key was first seen, in ms since the Unix epoch, by the name of the key, which does not reveal it. */
  firstSeen: z.record(z.string().max(64), storedTime(Date.now)),
  /** The alerts that were sent, by topic. */
  sent: z.record(z.string().max(300), z.object({ stage: z.string().max(40), headline: z.string().max(1_000) })),
});

/** The record that outlives a restart: when keys were first seen, and which alerts were sent. */
export type AlertRecord = Omit<z.infer<typeof recordSchema>, 'version'>;

const EMPTY: AlertRecord = { firstSeen: {}, sent: {} };

/** Keeps the record. Rejects where it cannot be read or written now. */
export interface AlertStore {
  /** The record outlives this process. */
  readonly isLasting: boolean;
  /** Returns whether this instance is the one that sends alerts, of those that share the store. */
  claim(): Promise<boolean>;
  load(): Promise<AlertRecord>;
  save(record: AlertRecord): Promise<void>;
}

/** A record in `folder`, or in this process alone. It is read once: no other process writes it. */
export function localAlertStore(folder?: string): AlertStore {
  const path = folder === undefined ? undefined : join(folder, FILE);
  let stored: AlertRecord | undefined;
  return {
    isLasting: path !== undefined,
    claim: async () => true,
    load: async () => (stored ??= recordIn(path && (await readRegularFile(path, MAX_BYTES).catch(() => undefined)))),
    save: async (record) => {
      stored = record;
      if (path !== undefined) replaceFile(path, textOf(record));
    },
  };
}

/** The record in a text; empty where there is none, or none that can be read. */
export function recordIn(text: string | null | undefined): AlertRecord {
  try {
    const { firstSeen, sent } = recordSchema.parse(JSON.parse(text ?? ''));
    return { firstSeen, sent };
  } catch {
    return EMPTY;
  }
}

export function textOf({ firstSeen, sent }: AlertRecord): string {
  return JSON.stringify({ version: 1, firstSeen, sent });
}

/** The record with `keyName` first seen at `nowMs`, where it was not seen before; the newest keys are stored. */
export function withKeySeen(record: AlertRecord, keyName: string, nowMs: number): AlertRecord {
  if (Object.hasOwn(record.firstSeen, keyName)) return record;
  const newest = Object.entries(record.firstSeen)
    .sort(([, a], [, b]) => b - a)
    .slice(0, MAX_KEYS - 1);
  return { ...record, firstSeen: Object.fromEntries([...newest, [keyName, nowMs]]) };
}
