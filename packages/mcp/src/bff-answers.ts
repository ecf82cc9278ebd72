import { publicPulseSchema, publicSourceFactsSchema, publicSourceSchema } from '@pulse-card/contract';
import { z } from 'zod';

/** A source's rhythm. An older BFF doesn't send it, and a newer one may send other values. */
const rhythm = z
  .object({ usual: z.string().nullable(), overdueSince: z.string().nullable() })
  .catch({ usual: null, overdueSince: null });

/** The fields of a source that are read. Other fields are ignored, so that a newer BFF can send more. */
const sourceFacts = z.object({ ...publicSourceFactsSchema.shape, rhythm });

const outcome = z.discriminatedUnion('ok', [
  z.object({
    sourceId: z.string(),
    ok: z.literal(true),
    meta: z.object({ stale: z.boolean() }),
    pulse: z.object({ ...publicPulseSchema.shape, withheld: z.boolean().default(false) }),
    source: sourceFacts,
  }),
  z.object({ sourceId: z.string(), ok: z.literal(false), code: z.string() }),
]);

/** The body of `/v1/pulses`. */
export const pulsesBody: z.ZodType<{ readonly pulses: readonly BffOutcome[] }> = z.object({ pulses: z.array(outcome) });

/** The body of `/v1/sources`. */
export const sourcesBody: z.ZodType<{ readonly sources: readonly BffSource[] }> = z.object({
  sources: z.array(z.object(publicSourceSchema.shape)),
});

/** The outcome for one source. */
export type BffOutcome = z.output<typeof outcome>;
/** The outcome for a source that has a pulse. */
export type BffPulse = Extract<BffOutcome, { ok: true }>;
/** A source in the list. */
export type BffSource = Pick<z.output<typeof publicSourceSchema>, 'id' | 'name' | 'provider' | 'status'>;
