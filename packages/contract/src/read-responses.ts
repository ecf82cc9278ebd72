import { z } from 'zod';
import { pulseSchema, type ReadPulse, readPulseSchema } from './pulse.ts';
import { type ReadSource, readSourceSchema, sourceSchema } from './source.ts';
import { cutText } from './text.ts';

/** A key's account, as a client reads it from `meta`. */
export interface ReadAccount {
  readonly id: string;
  /** Empty if it can't be read. */
  readonly email: string;
}

/** Other facts about a readable response. */
interface Readable {
  readonly ok: true;
  /** Undefined if `meta` has no readable account. */
  readonly account: ReadAccount | undefined;
  /**
   * What can't be read, for a log: fields, which were read as null (`completedAt`, `meta.account.id`, `src_1:
   * provider`), and omitted rows (`row 2 (ID "src/1")`).
   */
  readonly unreadable: readonly string[];
}

/** A response that can't be used. The reason names the field but never contains a value from the response. */
export interface UnreadableResponse {
  readonly ok: false;
  readonly reason: string;
}

/** A row that can't be read as a source. */
export interface LeftOutRow {
  /** The row's ID in printable ASCII, at most 80 characters long; null if it has none. */
  readonly id: string | null;
  readonly reason: string;
}

/** The response for a source's latest pulse, as a client reads it. */
export type PulseReading = (Readable & { readonly pulse: ReadPulse }) | UnreadableResponse;

/** The list of sources, as a client reads it. */
export type SourcesReading =
  | (Readable & { readonly sources: readonly ReadSource[]; readonly leftOut: readonly LeftOutRow[] })
  | UnreadableResponse;

/** Far more rows than the service ever sends. */
const MAX_ROWS = 1_000;

type Shape = Readonly<Record<string, z.ZodType>>;

const MAX_SHOWN_ID_LENGTH = 80;

/**
 * Reads the body of `GET /v1/sources/{askedId}/pulse`. The IDs and the status must be valid, and the pulse must belong
 * to the requested source. Any other field that can't be read is null and named in `unreadable`.
 */
export function readPulse(body: unknown, askedId: string): PulseReading {
  const { meta, pulse: raw } = fieldsOf(body);
  const result = readPulseSchema.safeParse(raw);
  if (!result.success)
    return { ok: false, reason: `${['pulse', ...(result.error.issues[0]?.path ?? [])].join('.')} can’t be read` };
  const pulse = result.data;
  if (pulse.sourceId !== askedId) return { ok: false, reason: 'pulse.sourceId is not the ID that was asked for' };
  const { account, unreadable } = readMeta(meta);
  return { ok: true, pulse, account, unreadable: [...unreadable, ...unreadableFields(raw, pulse, pulseSchema.shape)] };
}

/**
 * Reads the body of `GET /v1/sources`. A row needs only a readable ID: any other field that can't be read is null and
 * named in `unreadable`. Other rows, and rows that repeat an ID, are omitted and listed there too. If none of a list's
 * rows can be read, the whole list counts as unreadable.
 */
export function readSources(body: unknown): SourcesReading {
  const { meta, sources: rows } = fieldsOf(body);
  if (!Array.isArray(rows) || rows.length > MAX_ROWS) return { ok: false, reason: 'sources is not a list' };
  const { account, unreadable } = readMeta(meta);
  const reading = { sources: [] as ReadSource[], leftOut: [] as LeftOutRow[], unreadable: [...unreadable] };
  for (const [index, row] of rows.entries()) {
    const source = readSourceSchema.safeParse(row).data;
    if (!source || reading.sources.some(({ id }) => id === source.id)) {
      const leftOut = source ? { id: source.id, reason: 'repeats an ID' } : leftOutRow(row);
      reading.leftOut.push(leftOut);
      reading.unreadable.push(`row ${index + 1} (${leftOut.id === null ? 'no ID' : `ID "${leftOut.id}"`})`);
      continue;
    }
    reading.sources.push(source);
    reading.unreadable.push(
      ...unreadableFields(row, source, sourceSchema.shape).map((field) => `${source.id}: ${field}`),
    );
  }
  const isLost = rows.length > 0 && reading.sources.length === 0;
  return isLost ? { ok: false, reason: 'sources has no row that can be read' } : { ok: true, account, ...reading };
}

const accountSchema = z.object({ id: z.string().min(1).max(1_000), email: z.string().max(1_000).catch('') });

/** The account in `meta`. A `meta` that can't be read doesn't invalidate the response. */
function readMeta(meta: unknown): Pick<Readable, 'account' | 'unreadable'> {
  const account = accountSchema.safeParse(fieldsOf(meta)['account']).data;
  if (!account) return { account, unreadable: ['meta.account.id'] };
  return { account, unreadable: account.email === '' ? ['meta.account.email'] : [] };
}

/** The fields that were read as null because the spec doesn't allow their values. */
function unreadableFields(raw: unknown, read: ReadPulse | ReadSource, written: Shape): string[] {
  const values = fieldsOf(raw);
  const isAllowed = (name: string) => values[name] === null && written[name]?.safeParse(null).success === true;
  return Object.entries(read).flatMap(([name, value]) => (value === null && !isAllowed(name) ? name : []));
}

function leftOutRow(row: unknown): LeftOutRow {
  const { id } = fieldsOf(row);
  if (typeof id === 'string') return { id: printable(id), reason: 'has an invalid ID' };
  if (typeof id === 'number') return { id: String(id), reason: 'has an ID that is a number' };
  return { id: null, reason: 'has no ID' };
}

/** Printable ASCII for logs, at most 80 characters long. Other characters are escaped as in JSON. */
function printable(text: string): string {
  const escaped = cutText(text, MAX_SHOWN_ID_LENGTH).replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return escaped.slice(0, MAX_SHOWN_ID_LENGTH);
}

/** An object's fields; none if `value` isn't an object. */
function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
