import { idSchema, providerSchema, safeUrl, SOURCE_STATUSES } from '@pulse-card/contract';
import { z } from 'zod';

/** Text that both databases can keep: PostgreSQL takes no NUL, and neither takes half a surrogate pair. */
const text = z
  .string()
  .refine((value) => !value.includes('\0') && value.isWellFormed(), 'must not hold NUL or lone surrogates');

/** Null, or left out, where there is nothing to say. */
const optionalText = text.nullable().default(null);

const notAMoment = 'must be an ISO 8601 date and time, such as 2026-05-08T09:00:12.000Z';

/** A moment with any offset, kept as UTC with milliseconds and a year of four digits, which sorts as text. */
const moment = z.iso
  .datetime({ offset: true, error: notAMoment })
  .transform((value) => new Date(value).toISOString())
  .pipe(z.iso.datetime({ precision: 3, error: notAMoment }));

const account = z.strictObject({ id: idSchema, email: z.email('must be an e-mail address') });

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
    .refine((raw) => safeUrl(raw) !== undefined, 'must be an https: address')
    .nullable()
    .default(null),
});

/** The document that `import` takes: five lists; every id is the caller's; fields that are not named here are faults. */
export const documentSchema = z.strictObject({
  accounts: z.array(account),
  organizations: z.array(organization),
  sources: z.array(source),
  connections: z.array(connection),
  runs: z.array(run),
});

/** A document that holds no fault of its own. */
export type ImportDocument = z.output<typeof documentSchema>;
