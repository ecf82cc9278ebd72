import { z } from 'zod';
import { idSchema } from './source-id.ts';
import { readText, TEXT_LIMITS } from './text.ts';
import { httpsOrLoopbackUrl, readUrl } from './url.ts';

/** A pulse as the service writes it (spec, "Pulse"): every field and no other. */
export const pulseSchema = z
  .strictObject({
    jobRunId: idSchema.meta({ description: 'Unique id of the successful job run' }),
    sourceId: idSchema.meta({ description: 'Source the pulse belongs to' }),
    sourceName: z.string().nullable().meta({ description: 'Source display name at the time of the run' }),
    status: z.literal('SUCCESS').meta({ description: 'Only successful runs are returned' }),
    completedAt: z.iso.datetime({ precision: 3 }).nullable().meta({ description: 'When the job finished' }),
    imageUrl: httpsOrLoopbackUrl.nullable().meta({ description: 'Rendered chart image, PNG, public' }),
    aiSummaryShort: z.string().nullable().meta({ description: 'One-line AI commentary, suited to previews' }),
    aiSummaryLong: z.string().nullable().meta({ description: 'Full AI analysis, suited to embedded reports' }),
    deliveryLink: httpsOrLoopbackUrl.nullable().meta({ description: 'Link to the delivered team-chat message' }),
    organizationId: idSchema.meta({ description: 'Internal organization id' }),
    organizationName: z.string().nullable(),
    organizationSlug: z.string().nullable(),
  })
  .meta({ id: 'Pulse' });

/** A pulse as the service writes it. */
export type Pulse = z.infer<typeof pulseSchema>;

/** A time in ISO 8601 as a client reads it: any offset, kept as UTC with milliseconds and a year of four digits. */
export const readTime = z.iso
  .datetime({ offset: true })
  .transform((text) => new Date(text).toISOString())
  .pipe(z.iso.datetime({ precision: 3 }))
  .nullable();

/**
 * A pulse as a client reads it: fields the spec does not name are dropped, long text is cut, an address that no
 * browser should be sent to becomes null, and the fields that readers never see may be missing.
 */
export const readPulseSchema = z.object({
  jobRunId: idSchema,
  sourceId: idSchema,
  sourceName: readText(TEXT_LIMITS.name),
  status: z.literal('SUCCESS'),
  completedAt: readTime,
  imageUrl: readUrl,
  aiSummaryShort: readText(TEXT_LIMITS.summaryShort),
  aiSummaryLong: readText(TEXT_LIMITS.summaryLong),
  deliveryLink: readUrl.catch(null),
  organizationId: readText(TEXT_LIMITS.name).catch(null),
  organizationName: readText(TEXT_LIMITS.name).catch(null),
  organizationSlug: readText(TEXT_LIMITS.name).catch(null),
});

/** A pulse as a client reads it. */
export type ReadPulse = z.infer<typeof readPulseSchema>;
