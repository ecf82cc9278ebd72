import { idSchema, providerSchema, safeUrl, SOURCE_STATUSES } from '@pulse-card/contract';
import { z } from 'zod';
import { type Fault, faultsIn } from './document-error.ts';

/**
 * Text that both databases can store. PostgreSQL doesn't accept NUL, and neither database accepts half of a surrogate
 * pair.
 */
const text = z
  .string()
  .refine((value) => !value.includes('\0') && value.isWellFormed(), 'must not contain NUL or lone surrogates');

/** Null or absent if there is no value. */
const optionalText = text.nullable().default(null);

const notAMoment = 'must be an ISO 8601 date and time, such as 2026-05-08T09:00:12.000Z';

/** A time with any offset. It is stored as UTC with milliseconds and a four-digit year, so that it sorts as text. */
const moment = z.iso
  .datetime({ offset: true, error: notAMoment })
  .transform((value) => new Date(value).toISOString())
  .pipe(z.iso.datetime({ precision: 3, error: notAMoment }));

const account = z.strictObject({ id: idSchema, email: z.email('must be an email address') });

const organization = z.strictObject({ id: idSchema, name: optionalText, slug: optionalText });

const source = z.strictObject({
  id: idSchema,
  accountId: idSchema,
  organizationId: idSchema,
  name: optionalText,
  provider: providerSchema,
  status: z.enum(SOURCE_STATUSES, `must be one of ${SOURCE_STATUSES.join(', ')}`),
  updatedAt: moment,
  archived: z.boolean().default(false),
});

const connection = z.strictObject({ id: idSchema, sourceId: idSchema });

const run = z.strictObject({
  id: idSchema,
  connectionId: idSchema,
  status: z.enum(['SUCCESS', 'FAILED'], 'must be SUCCESS or FAILED'),
  sourceName: optionalText,
  completedAt: moment.nullable().default(null),
  image: text.min(1, 'must be the path of a PNG file').nullable().default(null),
  aiSummaryShort: optionalText,
  aiSummaryLong: optionalText,
  deliveryLink: text
    .refine((raw) => safeUrl(raw) !== undefined, 'must be an https: URL')
    .nullable()
    .default(null),
});

/**
 * The lists in the document that `import` reads, each with the schema for its entries. IDs are chosen by the caller.
 * Fields that aren't listed here are errors.
 */
const LISTS = {
  accounts: account,
  organizations: organization,
  sources: source,
  connections: connection,
  runs: run,
};

type ListName = keyof typeof LISTS;

const documentSchema = z.strictObject({
  accounts: z.array(z.unknown()),
  organizations: z.array(z.unknown()),
  sources: z.array(z.unknown()),
  connections: z.array(z.unknown()),
  runs: z.array(z.unknown()),
} satisfies Record<ListName, z.ZodType>);

/** A document that is valid without the database. */
export type ImportDocument = { readonly [List in ListName]: readonly z.output<(typeof LISTS)[List]>[] };

/** A schema's default message. */
const error = ({ input }: { input?: unknown }) => (input === undefined ? 'is missing' : undefined);

/** The document that a JSON value contains, or every error in its fields. */
export function parseDocument(json: unknown): { document: ImportDocument } | { faults: Fault[] } {
  const read = documentSchema.safeParse(json, { error });
  const lists = typeof json === 'object' && json !== null ? (json as Record<string, unknown>) : {};
  const faults = read.success ? [] : faultsIn(read.error);
  const document: Record<string, unknown[]> = {};
  // Parses entry by entry, because zod passes all errors in a list as arguments to one call, and 200,000 of them
  // overflow the stack.
  for (const [list, schema] of Object.entries(LISTS)) {
    const entries = lists[list];
    document[list] = Array.isArray(entries)
      ? entries.map((entry, at) => parseEntry(schema, entry, [list, at], faults))
      : [];
  }
  return faults.length > 0 ? { faults } : { document: document as unknown as ImportDocument };
}

/** The entry as its schema parses it. Its errors are added to `faults`. */
function parseEntry(schema: z.ZodType, entry: unknown, path: readonly PropertyKey[], faults: Fault[]): unknown {
  const read = schema.safeParse(entry, { error });
  if (!read.success) for (const fault of faultsIn(read.error, path)) faults.push(fault);
  return read.data;
}
