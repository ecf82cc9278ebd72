import {
  cleanLine,
  cleanText,
  idSchema,
  publicPulseSchema,
  readTime,
  readUrl,
  TEXT_LIMITS,
  USUAL_RHYTHMS,
} from '@pulse-card/contract';
import { z } from 'zod';

/** A name, as one line of clean text. Anything else, and a name without visible characters, is null. */
const name = z
  .string()
  .transform((text) => cleanLine(text, TEXT_LIMITS.name) || null)
  .nullable()
  .catch(null);

/** Clean text of at most `limit` code units. Anything else, and text without visible characters, is null. */
function textOf(limit: number) {
  return z
    .string()
    .transform((text) => cleanText(text, limit) || null)
    .nullable()
    .catch(null);
}

/** An uppercase word, such as `GOOGLE`. Anything else is null. */
const code = z
  .string()
  .regex(/^[A-Z][A-Z0-9_]{0,63}$/)
  .nullable()
  .catch(null);

/** A source's usual interval. An older BFF doesn't send it, and a newer one might send other values. */
const rhythm = z
  .object({ usual: z.enum(USUAL_RHYTHMS).nullable().catch(null), overdueSince: readTime })
  .catch({ usual: null, overdueSince: null });

/** The fields that are read from a source. Other fields are ignored, so that a newer BFF can send additional ones. */
const sourceFacts = z.object({ status: code, provider: code, name, link: readUrl, rhythm });

const outcome = z.discriminatedUnion('ok', [
  z.object({
    sourceId: idSchema,
    ok: z.literal(true),
    meta: z.object({ stale: z.boolean() }),
    pulse: z.object({
      ...publicPulseSchema.shape,
      sourceName: name,
      completedAt: readTime,
      imageUrl: readUrl,
      aiSummaryShort: textOf(TEXT_LIMITS.summaryShort),
      aiSummaryLong: textOf(TEXT_LIMITS.summaryLong),
      withheld: z.boolean().default(false),
    }),
    source: sourceFacts,
  }),
  z.object({ sourceId: idSchema, ok: z.literal(false), code: z.string() }),
]);

/** The body of `/v1/pulses`. Values that aren't known in advance are text or null. */
export const pulsesBody: z.ZodType<{ readonly pulses: readonly BffOutcome[] }> = z.object({ pulses: z.array(outcome) });

/** The body of `/v1/sources`. */
export const sourcesBody: z.ZodType<{ readonly sources: readonly BffSource[] }> = z.object({
  sources: z.array(z.object({ id: idSchema, status: code, provider: code, name })),
});

/** The outcome for one source. */
export type BffOutcome = z.output<typeof outcome>;
/** The outcome for a source that has a pulse. */
export type BffPulse = Extract<BffOutcome, { ok: true }>;
/** A source in the list. */
export interface BffSource {
  readonly id: string;
  readonly name: string | null;
  readonly provider: string | null;
  readonly status: string | null;
}
