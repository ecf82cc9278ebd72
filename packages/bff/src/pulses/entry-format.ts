import { createHash } from 'node:crypto';
import {
  EXPOSABLE_FIELDS,
  type ExposableField,
  isSourceId,
  readPulseSchema,
  readSourceSchema,
} from '@pulse-card/contract';
import { z } from 'zod';
import type { Clock } from '../lib/clock.ts';
import { type Content, isList, LIST } from '../upstream/target.ts';
import type { Entry } from './entry.ts';

/** 132 bits of SHA-256 in base64url. */
const CHECKSUM_LENGTH = 22;

/** A time further in the future is treated as damaged. */
const DAY_MS = 86_400_000;

export const timeSchema = z
  .int()
  .nonnegative()
  .refine((ms) => ms <= Date.now() + DAY_MS);
export const nameSchema = z.string().max(100);

/** Rows and IDs that can't be parsed are omitted, as in the service's responses. */
const storedSchema = z
  .object({
    target: nameSchema,
    value: z
      .union([
        readPulseSchema,
        z.object({
          rows: z
            .array(z.unknown())
            .transform((rows) => rows.flatMap((row) => readSourceSchema.safeParse(row).data ?? [])),
          unreadableRows: z.int(),
        }),
      ])
      .nullable(),
    requestedAtMs: timeSchema,
    keyName: nameSchema,
    account: nameSchema.optional(),
    listed: z.array(z.unknown()).transform((ids) => ids.filter(isSourceId)),
    exposed: z.array(nameSchema),
  })
  .refine(({ target, value }) => isAbout(target, value));

/** The properties of each field that `PULSE_EXPOSE` can add, in pulses and in sources. */
const PROPERTIES: Readonly<Record<ExposableField, readonly string[]>> = {
  link: ['link'],
  deliveryLink: ['deliveryLink'],
  connectionCount: ['connectionCount'],
  organization: ['organizationId', 'organizationName', 'organizationSlug'],
};

export interface EntryFormatOptions {
  readonly clock: Clock;
  /** The fields that readers get, and the only ones that are stored. */
  readonly exposed: ReadonlySet<string>;
  /** The age at which a response is refreshed, in ms. */
  readonly freshMs: number;
}

interface StoredEntry {
  readonly target: string;
  readonly entry: Entry;
  readonly instead: string | undefined;
}

/** The form in which responses are stored outside the process: a checksum followed by JSON. */
export class EntryFormat {
  readonly #options: EntryFormatOptions;
  readonly #hidden: ReadonlySet<string>;

  constructor(options: EntryFormatOptions) {
    this.#options = options;
    this.#hidden = new Set(EXPOSABLE_FIELDS.flatMap((field) => (options.exposed.has(field) ? [] : PROPERTIES[field])));
  }

  write(target: string, { requestedAt: _monotonic, ...entry }: Entry, exposed = [...this.#options.exposed]): string {
    const kept = { target, ...entry, exposed };
    const json = JSON.stringify(kept, (name, value: unknown) => (this.#hidden.has(name) ? undefined : value));
    return `${checksumOf(json)} ${json}`;
  }

  /**
   * Reads what `write()` returned; undefined if it is damaged. `knownAgeMs`: how long ago the response was requested.
   * Without it, the wall clock decides. `instead`: what must be stored instead, because readers no longer get a field.
   */
  read(text: string, knownAgeMs?: number): StoredEntry | undefined {
    const { clock, exposed: needed, freshMs } = this.#options;
    const kept = documentIn(text);
    if (kept === undefined) return undefined;
    const { target, exposed, ...stored } = kept;
    const requestedAtMs = Math.min(stored.requestedAtMs, clock.wallNow());
    const ageMs = knownAgeMs ?? clock.wallNow() - requestedAtMs;
    // A response is due for a refresh if it lacks a field that readers now get.
    const isComplete = [...needed].every((field) => exposed.includes(field));
    const requestedAt = clock.now() - (isComplete ? ageMs : Math.max(ageMs, freshMs));
    const entry = { ...stored, account: stored.account, requestedAtMs, requestedAt };
    const still = exposed.filter((field) => needed.has(field));
    return { target, entry, instead: still.length < exposed.length ? this.write(target, entry, still) : undefined };
  }
}

function documentIn(text: string): z.output<typeof storedSchema> | undefined {
  const json = text.slice(CHECKSUM_LENGTH + 1);
  return text.startsWith(checksumOf(json)) ? storedSchema.safeParse(JSON.parse(json)).data : undefined;
}

function checksumOf(json: string): string {
  return createHash('sha256').update(json).digest('base64url').slice(0, CHECKSUM_LENGTH);
}

function isAbout(target: string, value: Content): boolean {
  return isList(value) ? target === LIST : target !== LIST && (value?.sourceId ?? target) === target;
}
