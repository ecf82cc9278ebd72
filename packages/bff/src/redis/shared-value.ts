import { errorCodeSchema, idSchema, readPulseSchema, readSourceSchema } from '@pulse-card/contract';
import { z } from 'zod';
import { MAX_DISCOVERED } from '../cache/known-sources.ts';
import type { Tenant } from './tenant.ts';

/** Nothing longer is written, or read: room for a list with all the ids that go with it. */
const LONGEST_TEXT = 1024 * 1024;

/** Most ids that a list carries along. */
export const MOST_MET = MAX_DISCOVERED;

const momentSchema = z.number().int().nonnegative();

const askedShape = {
  subject: z.string(),
  fence: momentSchema,
  /** In the account's time. */
  askedAtMs: z.number().nonnegative(),
  requestedAtMs: momentSchema,
  /** The digest of the account that the answer is of, encrypted; null where the service does not say. */
  account: z.string().max(200).nullable(),
};

/** A pulse, or that there is none. */
export const pulseValueSchema = z.object({
  kind: z.literal('pulse'),
  ...askedShape,
  pulse: readPulseSchema.nullable(),
});

/** The list with the ids that were ever on it. */
export const listValueSchema = z.object({
  kind: z.literal('list'),
  ...askedShape,
  rows: z.array(readSourceSchema).max(1_000),
  unreadableRows: z.int().nonnegative().default(0),
  met: z.array(idSchema).max(MOST_MET),
});

/** A failure, and until when it is to be respected, in the account's time. */
export const failureValueSchema = z.object({
  kind: z.literal('failure'),
  subject: z.string(),
  code: errorCodeSchema,
  detail: z.string().regex(/^[a-z-]{1,40}$/),
  status: z.number().int().min(100).max(599).optional(),
  untilMs: z.number().nonnegative(),
});

const envelopeSchema = z.object({ seal: z.string().max(100), text: z.string().max(LONGEST_TEXT) });

/** Writes a value for others to read, sealed by the key of the upstream; undefined where it is too long to be shared. */
export function sealedValue(tenant: Tenant, value: object): string | undefined {
  const text = JSON.stringify(value);
  return text.length > LONGEST_TEXT ? undefined : JSON.stringify({ seal: tenant.seal([text]), text });
}

/**
 * Reads a value that somebody wrote about `subject`; undefined where it is none: not sealed by an instance with the same key on
 * the same upstream, too long, about something else, or not of this shape.
 */
export function openedValue<Schema extends z.ZodType<{ subject: string }>>(
  tenant: Tenant,
  { schema, subject, written }: { schema: Schema; subject: string; written: unknown },
): z.output<Schema> | undefined {
  if (typeof written !== 'string' || written.length > 2 * LONGEST_TEXT) return undefined;
  const envelope = envelopeSchema.safeParse(parsed(written)).data;
  if (!envelope || !tenant.isSealed(envelope.seal, [envelope.text])) return undefined;
  const value = schema.safeParse(parsed(envelope.text)).data;
  return value?.subject === subject ? value : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
