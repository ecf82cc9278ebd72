import { errorCodeSchema, idSchema, readPulseSchema, readSourceSchema } from '@pulse-card/contract';
import { z } from 'zod';
import { MAX_LISTED } from '../cache/source-allowlist.ts';
import type { KeyNamespace } from './key-namespace.ts';

/** The longest value that is written or read: room for a list with all discovered ids. */
const MAX_TEXT_LENGTH = 1024 * 1024;

/** The most ids with a list. */
export const MAX_SHARED_DISCOVERED = MAX_LISTED;

const momentSchema = z.number().int().nonnegative();

const requestShape = {
  subject: z.string(),
  fencingToken: momentSchema,
  /** In the account's time. */
  sharedRequestedAtMs: z.number().nonnegative(),
  requestedAtMs: momentSchema,
  /** The digest of the account that the answer is of, encrypted; null where the service does not say. */
  account: z.string().max(200).nullable(),
};

/** A pulse, or that there is none. */
export const pulseValueSchema = z.object({
  kind: z.literal('pulse'),
  ...requestShape,
  pulse: readPulseSchema.nullable(),
});

/** The list with the ids that were ever on it. */
export const listValueSchema = z.object({
  kind: z.literal('list'),
  ...requestShape,
  rows: z.array(readSourceSchema).max(1_000),
  unreadableRows: z.int().nonnegative().default(0),
  discovered: z.array(idSchema).max(MAX_SHARED_DISCOVERED),
});

/** A failure, and the end of its backoff in the account's time. */
export const failureValueSchema = z.object({
  kind: z.literal('failure'),
  subject: z.string(),
  code: errorCodeSchema,
  detail: z.string().regex(/^[a-z-]{1,40}$/),
  status: z.number().int().min(100).max(599).optional(),
  untilMs: z.number().nonnegative(),
});

const envelopeSchema = z.object({ signature: z.string().max(100), text: z.string().max(MAX_TEXT_LENGTH) });

/** Signs a value with the key of the upstream; undefined where it is too long. */
export function signedValue(namespace: KeyNamespace, value: object): string | undefined {
  const text = JSON.stringify(value);
  return text.length > MAX_TEXT_LENGTH ? undefined : JSON.stringify({ signature: namespace.signature([text]), text });
}

/**
 * Verifies and parses a value about `subject`; undefined where it is not signed by an instance with the same key on the same
 * upstream, too long, about another subject, or not of this shape.
 */
export function verifiedValue<Schema extends z.ZodType<{ subject: string }>>(
  namespace: KeyNamespace,
  { schema, subject, written }: { schema: Schema; subject: string; written: unknown },
): z.output<Schema> | undefined {
  if (typeof written !== 'string' || written.length > 2 * MAX_TEXT_LENGTH) return undefined;
  const envelope = envelopeSchema.safeParse(parsed(written)).data;
  if (!envelope || !namespace.verify(envelope.signature, [envelope.text])) return undefined;
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
