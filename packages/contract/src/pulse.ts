import { z } from 'zod';
import { idSchema } from './source-id.ts';
import { readText } from './read-text.ts';
import { TEXT_LIMITS } from './text.ts';
import { httpsOrLoopbackUrl, readChartUrl, readUrl } from './url.ts';

/** A pulse as the service sends it (spec, "Pulse"), with exactly these fields. */
export const pulseSchema = z
  .strictObject({
    jobRunId: idSchema.meta({ description: 'Unique ID of the successful job run', example: 'run_1' }),
    sourceId: idSchema.meta({ description: 'Source the pulse belongs to', example: 'src_1' }),
    sourceName: z
      .string()
      .nullable()
      .meta({ description: 'Source display name at the time of the run', example: 'Q2 revenue' }),
    status: z.literal('SUCCESS').meta({ description: 'Only successful runs are returned', example: 'SUCCESS' }),
    completedAt: z.iso
      .datetime({ precision: 3 })
      .nullable()
      .meta({ description: 'When the job finished', example: '2026-05-08T09:00:12.000Z' }),
    imageUrl: httpsOrLoopbackUrl
      .nullable()
      .meta({ description: 'Rendered chart image, PNG, public', example: 'https://cdn.acme.test/charts/run_1.png' }),
    aiSummaryShort: z.string().nullable().meta({
      description: 'One-line AI commentary, suited to previews',
      example: 'Revenue rose 12% in the second quarter.',
    }),
    aiSummaryLong: z.string().nullable().meta({
      description: 'Full AI analysis, suited to embedded reports',
      example: 'Revenue rose **12%** in the second quarter.',
    }),
    deliveryLink: httpsOrLoopbackUrl.nullable().meta({
      description: 'Link to the delivered team-chat message',
      example: 'https://chat.acme.test/archives/C1/p1',
    }),
    organizationId: idSchema.meta({ description: 'Internal organization ID', example: 'org_1' }),
    organizationName: z.string().nullable().meta({ example: 'Acme' }),
    organizationSlug: z.string().nullable().meta({ example: 'acme' }),
  })
  .meta({ id: 'Pulse' });

/** A pulse, as returned by the service. */
export type Pulse = z.infer<typeof pulseSchema>;

/** An ISO 8601 timestamp with a time zone. The zone's colon and minutes, seconds, and a fraction of any length are optional. */
const ISO_TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d)(:\d\d)?(?:[.,](\d+))?(?:(Z)|([+-]\d\d):?(\d\d)?)$/;

/**
 * An ISO 8601 time with a zone, as a client reads it: stored as UTC with milliseconds and a four-digit year. Anything
 * else is null.
 */
export const readTime = z
  .string()
  .transform((text) =>
    text.replace(ISO_TIME, (_match, minute, second = ':00', fraction = '0', utc, hours, minutes = '00') => {
      return `${minute}${second}.${fraction}${utc ?? `${hours}:${minutes}`}`;
    }),
  )
  .pipe(z.iso.datetime({ offset: true }))
  .transform((text) => new Date(text).toISOString())
  .pipe(z.iso.datetime({ precision: 3 }))
  .nullable()
  .catch(null);

/**
 * A pulse as a client reads it. Only the IDs and the status must be readable: a nullable field with an unreadable value
 * is null. Fields that the spec doesn't list are dropped, and long text is truncated. A chart URL that browsers
 * shouldn't open is kept so that it can be reported; any other unsafe URL is null.
 */
export const readPulseSchema = z.object({
  jobRunId: idSchema,
  sourceId: idSchema,
  sourceName: readText(TEXT_LIMITS.name),
  status: z.literal('SUCCESS'),
  completedAt: readTime,
  imageUrl: readChartUrl,
  aiSummaryShort: readText(TEXT_LIMITS.summaryShort),
  aiSummaryLong: readText(TEXT_LIMITS.summaryLong),
  deliveryLink: readUrl,
  organizationId: readText(TEXT_LIMITS.name),
  organizationName: readText(TEXT_LIMITS.name),
  organizationSlug: readText(TEXT_LIMITS.name),
});

/** A pulse as a client reads it. */
export type ReadPulse = z.infer<typeof readPulseSchema>;
