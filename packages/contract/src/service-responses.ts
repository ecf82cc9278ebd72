import { z } from 'zod';
import { pulseSchema } from './pulse.ts';
import { idSchema } from './source-id.ts';
import { sourceSchema } from './source.ts';

/** The maximum number of sources that the list operation returns (spec, "Limits"). */
export const LIST_SIZE = 10;

/**
 * `meta` in every successful response from the service: the key's account and the time (spec, "Response envelope
 * meta").
 */
export const metaSchema = z
  .strictObject({
    account: z
      .strictObject({ id: idSchema, email: z.email() })
      .meta({ example: { id: 'acc_1', email: 'owner@acme.test' } }),
    requestedAt: z.iso
      .datetime({ precision: 3 })
      .meta({ description: 'Time of the request, in UTC with milliseconds', example: '2026-05-08T09:05:00.000Z' }),
  })
  .meta({ id: 'Meta' });

/** The service's response to `GET /v1/sources`. */
export const sourcesBodySchema = z
  .strictObject({ meta: metaSchema, sources: z.array(sourceSchema).max(LIST_SIZE) })
  .meta({ id: 'SourcesBody' });

/** The service's response to `GET /v1/sources/{sourceId}/pulse`. */
export const pulseBodySchema = z.strictObject({ meta: metaSchema, pulse: pulseSchema }).meta({ id: 'PulseBody' });

export type Meta = z.infer<typeof metaSchema>;
export type SourcesBody = z.infer<typeof sourcesBodySchema>;
export type PulseBody = z.infer<typeof pulseBodySchema>;
