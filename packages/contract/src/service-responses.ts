import { z } from 'zod';
import { pulseSchema, readPulseSchema } from './pulse.ts';
import { idSchema } from './source-id.ts';
import { readSourceSchema, sourceSchema } from './source.ts';

/** The maximum number of sources that the list operation returns (spec, "Limits"). */
export const LIST_SIZE = 10;

/**
 * `meta` in every successful response from the service: the key's account and the time (spec, "Response envelope
 * meta").
 */
export const metaSchema = z
  .strictObject({
    account: z.strictObject({ id: idSchema, email: z.email() }),
    requestedAt: z.iso.datetime({ precision: 3 }).meta({ description: 'Time of the request, UTC with milliseconds' }),
  })
  .meta({ id: 'Meta' });

/** The response to `GET /v1/sources`, as the service writes it. */
export const sourcesBodySchema = z
  .strictObject({ meta: metaSchema, sources: z.array(sourceSchema).max(LIST_SIZE) })
  .meta({ id: 'SourcesBody' });

/** The response to `GET /v1/sources/{sourceId}/pulse`, as the service writes it. */
export const pulseBodySchema = z.strictObject({ meta: metaSchema, pulse: pulseSchema }).meta({ id: 'PulseBody' });

/** `meta` as a client reads it. An invalid `meta` doesn't invalidate the response. */
export const readMetaSchema = z
  .object({ account: z.object({ id: z.string().min(1).max(1_000), email: z.string().max(1_000).catch('') }) })
  .optional()
  .catch(undefined);

/**
 * The response to `GET /v1/sources`, as a client reads it. Unreadable rows are skipped and counted. If it has rows but
 * none of them is readable, the response is invalid.
 */
export const readSourcesBodySchema = z
  .object({ meta: readMetaSchema, sources: z.array(z.unknown()).max(1_000) })
  .transform(({ meta, sources: rows }, context) => {
    const sources = rows.flatMap((row) => readSourceSchema.safeParse(row).data ?? []);
    if (rows.length > 0 && sources.length === 0) context.addIssue('has no row that can be read');
    return { meta, sources, unreadableRows: rows.length - sources.length };
  });

/** The response to `GET /v1/sources/{sourceId}/pulse`, as a client reads it. */
export const readPulseBodySchema = z.object({ meta: readMetaSchema, pulse: readPulseSchema });

export type Meta = z.infer<typeof metaSchema>;
export type SourcesBody = z.infer<typeof sourcesBodySchema>;
export type PulseBody = z.infer<typeof pulseBodySchema>;
export type ReadSourcesBody = z.infer<typeof readSourcesBodySchema>;
export type ReadPulseBody = z.infer<typeof readPulseBodySchema>;
