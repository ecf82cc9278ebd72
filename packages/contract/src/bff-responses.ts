import { z } from 'zod';
import { errorCodeSchema } from './error.ts';
import { idSchema } from './source-id.ts';

/** The maximum number of IDs in one batch request. */
export const BATCH_SIZE = 50;

/** The fields that an operator can add to what readers see (`PULSE_EXPOSE`). */
export const EXPOSABLE_FIELDS = ['link', 'deliveryLink', 'organization', 'connectionCount'] as const;

/** A field that an operator can add to what readers see. */
export type ExposableField = (typeof EXPOSABLE_FIELDS)[number];

/** `meta` of a BFF response. */
export const answerMetaSchema = z
  .strictObject({
    requestedAt: z.iso
      .datetime({ precision: 3 })
      .meta({ description: 'When the BFF requested the data from the service' }),
    stale: z.boolean().meta({ description: 'True if readers should be told that this is an earlier version' }),
  })
  .meta({ id: 'AnswerMeta' });

/** How often a source usually has a new run. */
export const USUAL_RHYTHMS = ['hourly', 'daily', 'weekdays', 'weekly', 'monthly'] as const;

/** Facts derived from the completion times of a source's runs. Both are null until they are known. */
export const rhythmSchema = z
  .strictObject({
    usual: z.enum(USUAL_RHYTHMS).nullable().meta({ description: 'How often the source usually has a new run' }),
    overdueSince: z.iso
      .datetime({ precision: 3 })
      .nullable()
      .meta({ description: 'When the next run became overdue, or null if it is not overdue' }),
  })
  .meta({ id: 'Rhythm' });

/** A pulse as readers see it: the public fields, and the fields that the operator exposes. */
export const publicPulseSchema = z
  .strictObject({
    jobRunId: idSchema,
    sourceId: idSchema,
    sourceName: z.string().nullable(),
    status: z.literal('SUCCESS'),
    completedAt: z.iso.datetime({ precision: 3 }).nullable(),
    imageUrl: z.string().nullable(),
    aiSummaryShort: z.string().nullable(),
    aiSummaryLong: z.string().nullable(),
    deliveryLink: z.string().nullable().optional(),
    withheld: z.literal(true).optional().meta({ description: 'The operator withholds this run’s AI-generated text' }),
    organizationId: z.string().nullable().optional(),
    organizationName: z.string().nullable().optional(),
    organizationSlug: z.string().nullable().optional(),
  })
  .meta({ id: 'PublicPulse' });

/**
 * The public source fields that come with a pulse. A field is null if the service sent no readable value, or if the
 * source is no longer in the list.
 */
export const publicSourceFactsSchema = z
  .strictObject({
    status: z.string().nullable(),
    provider: z.string().nullable(),
    name: z.string().nullable(),
    link: z.string().nullable().optional(),
    connectionCount: z.int().nullable().optional(),
    rhythm: rhythmSchema.optional().meta({ description: 'Always present together with a pulse' }),
  })
  .meta({ id: 'PublicSourceFacts' });

/** A source in the BFF's list. */
export const publicSourceSchema = z
  .strictObject({ id: idSchema, ...publicSourceFactsSchema.shape })
  .meta({ id: 'PublicSource' });

/** The BFF's response for one source. */
export const pulseAnswerSchema = z
  .strictObject({ meta: answerMetaSchema, pulse: publicPulseSchema, source: publicSourceFactsSchema })
  .meta({ id: 'PulseAnswer' });

/** The outcome for one ID in a batch. A source without a pulse still has its source fields. */
export const pulseOutcomeSchema = z
  .discriminatedUnion('ok', [
    z.strictObject({
      sourceId: z.string(),
      ok: z.literal(true),
      meta: answerMetaSchema,
      pulse: publicPulseSchema,
      source: publicSourceFactsSchema,
    }),
    z.strictObject({
      sourceId: z.string(),
      ok: z.literal(false),
      error: z.string(),
      code: errorCodeSchema,
      source: publicSourceFactsSchema.optional(),
    }),
  ])
  .meta({ id: 'PulseOutcome' });

/** The BFF's response to a batch, such as all pulses on a page. */
export const pulsesAnswerSchema = z
  .strictObject({ meta: answerMetaSchema, pulses: z.array(pulseOutcomeSchema).max(BATCH_SIZE) })
  .meta({ id: 'PulsesAnswer' });

/** An earlier run of a source. */
export const publicRunSchema = z
  .strictObject({
    jobRunId: idSchema,
    completedAt: z.iso.datetime({ precision: 3 }).nullable(),
    firstSeenAt: z.iso.datetime({ precision: 3 }).meta({ description: 'When this BFF first received the run' }),
    aiSummaryShort: z.string().nullable(),
    imageUrl: z.string().nullable(),
    withheld: z.literal(true).optional(),
  })
  .meta({ id: 'PublicRun' });

/** The BFF's response with the runs that it has seen for a source, newest first. */
export const runsAnswerSchema = z
  .strictObject({
    meta: z
      .strictObject({
        ...answerMetaSchema.shape,
        complete: z
          .literal(false)
          .meta({ description: 'Always false, because runs that no reader requested are missing' }),
      })
      .meta({ id: 'RunsMeta' }),
    runs: z.array(publicRunSchema),
  })
  .meta({ id: 'RunsAnswer' });

/** The BFF's list of sources. */
export const sourcesAnswerSchema = z
  .strictObject({ meta: answerMetaSchema, sources: z.array(publicSourceSchema) })
  .meta({ id: 'SourcesAnswer' });

export type AnswerMeta = z.infer<typeof answerMetaSchema>;
export type PublicPulse = z.infer<typeof publicPulseSchema>;
export type PublicSourceFacts = z.infer<typeof publicSourceFactsSchema>;
export type PublicSource = z.infer<typeof publicSourceSchema>;
export type PulseAnswer = z.infer<typeof pulseAnswerSchema>;
export type PulseOutcome = z.infer<typeof pulseOutcomeSchema>;
export type PulsesAnswer = z.infer<typeof pulsesAnswerSchema>;
export type SourcesAnswer = z.infer<typeof sourcesAnswerSchema>;
export type UsualRhythm = (typeof USUAL_RHYTHMS)[number];
export type Rhythm = z.infer<typeof rhythmSchema>;
export type PublicRun = z.infer<typeof publicRunSchema>;
export type RunsAnswer = z.infer<typeof runsAnswerSchema>;
