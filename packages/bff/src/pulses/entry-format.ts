import { createHash } from 'node:crypto';
import { EXPOSABLE_FIELDS, type ExposableField, readPulseSchema, readSourceSchema } from '@pulse-card/contract';
import { z } from 'zod';
import type { Clock } from '../lib/clock.ts';
import type { Answer } from '../upstream/upstream.ts';

/** The last good response for a target. Immutable. Its account may be known from other responses. */
export interface Entry extends Omit<Answer, 'ok' | 'host'> {
  /** For the list: the IDs that have ever been in it. */
  readonly listed: readonly string[];
}

/** 132 bits of SHA-256 in base64url. */
const CHECKSUM_LENGTH = 22;

/** What `write()` returns. Values of an earlier version may have a different shape. */
const storedSchema = z.object({
  target: z.string(),
  value: z.union([readPulseSchema, z.object({ rows: z.array(readSourceSchema), unreadableRows: z.int() })]).nullable(),
  requestedAtMs: z.number(),
  keyName: z.string(),
  account: z.string().optional(),
  unreadable: z.array(z.string()).optional(),
  listed: z.array(z.string()),
  exposed: z.array(z.string()),
});

/** The properties of the fields that `PULSE_EXPOSE` can add, in pulses and in sources, if they have other names. */
const PROPERTIES: Partial<Record<ExposableField, readonly string[]>> = {
  organization: ['organizationId', 'organizationName', 'organizationSlug'],
};

export interface EntryFormatOptions {
  readonly clock: Clock;
  /** The fields that readers get, and the only ones that are stored. */
  readonly exposed: ReadonlySet<string>;
  /** The age at which a response is refreshed, in ms. */
  readonly freshMs: number;
}

/** The form in which responses are stored outside the process: a checksum followed by JSON. */
export type EntryFormat = ReturnType<typeof entryFormat>;

export function entryFormat({ clock, exposed, freshMs }: EntryFormatOptions) {
  const hidden = new Set(EXPOSABLE_FIELDS.flatMap((field) => (exposed.has(field) ? [] : (PROPERTIES[field] ?? field))));
  return {
    write(target: string, { requestedAt: _monotonic, ...entry }: Entry): string {
      const kept = { target, ...entry, exposed: [...exposed] };
      const json = JSON.stringify(kept, (name, value: unknown) => (hidden.has(name) ? undefined : value));
      return `${checksumOf(json)} ${json}`;
    },
    /**
     * Reads what `write()` returned; undefined if it is damaged. `knownAgeMs`: how long ago the response was requested.
     * Without it, the wall clock decides. `isCurrent`: whether readers get the same fields as when it was written. If
     * they get another field, the response is due for a refresh.
     */
    read(text: string, knownAgeMs?: number) {
      const json = text.slice(CHECKSUM_LENGTH + 1);
      const kept = text.startsWith(checksumOf(json)) ? storedSchema.safeParse(JSON.parse(json)).data : undefined;
      if (kept === undefined) return undefined;
      const { target, exposed: before, ...stored } = kept;
      const isComplete = [...exposed].every((field) => before.includes(field));
      const requestedAtMs = Math.min(stored.requestedAtMs, clock.wallNow());
      const ageMs = Math.max(knownAgeMs ?? clock.wallNow() - requestedAtMs, isComplete ? 0 : freshMs);
      const entry: Entry = { ...stored, account: stored.account, requestedAtMs, requestedAt: clock.now() - ageMs };
      return { target, entry, isCurrent: isComplete && before.length === exposed.size };
    },
  };
}

function checksumOf(json: string): string {
  return createHash('sha256').update(json).digest('base64url').slice(0, CHECKSUM_LENGTH);
}
