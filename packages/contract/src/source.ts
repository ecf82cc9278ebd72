import { z } from 'zod';
import { idSchema } from './source-id.ts';
import { readText } from './read-text.ts';
import { TEXT_LIMITS } from './text.ts';
import { httpsOrLoopbackUrl, readUrl } from './url.ts';

/** A source's states (spec, "States and transitions"). */
export const SOURCE_STATUSES = ['PENDING', 'DRAFT', 'ACTIVE', 'DEGRADED', 'BROKEN'] as const;

/** A source state from the spec's list. */
export type SourceStatus = (typeof SOURCE_STATUSES)[number];

/** Provider codes are uppercase. The spec doesn't contain a complete list. */
export const providerSchema = z.string().regex(/^[A-Z][A-Z0-9_]{0,63}$/, 'must be an upper-case provider code');

/** A source as the service sends it (spec, "Source"), with exactly these fields. */
export const sourceSchema = z
  .strictObject({
    id: idSchema.meta({ description: 'Unique source id; used as {sourceId} in the pulse path', example: 'src_1' }),
    name: z.string().nullable().meta({ description: 'User-supplied display name', example: 'Q2 revenue' }),
    provider: providerSchema.meta({ description: 'Integration provider code in upper case', example: 'GOOGLE' }),
    status: z.enum(SOURCE_STATUSES).meta({ example: 'ACTIVE' }),
    link: httpsOrLoopbackUrl.meta({
      description: 'Deep link to the source page in the admin dashboard',
      example: 'https://app.acme.test/admin/sources/src_1',
    }),
    connectionCount: z
      .int()
      .nonnegative()
      .meta({ description: 'Number of connections (delivery schedules) that use the source', example: 2 }),
    organizationId: idSchema.meta({ example: 'org_1' }),
    organizationName: z.string().nullable().meta({ example: 'Acme' }),
    organizationSlug: z.string().nullable().meta({ example: 'acme' }),
  })
  .meta({ id: 'Source' });

/** A source, as returned by the service. */
export type Source = z.infer<typeof sourceSchema>;

const readCode = z.string().min(1).max(64).nullable().catch(null);

/**
 * A source as a client reads it. Only the ID must be readable: any other field with an unreadable value is null. Fields
 * that the spec doesn't list are dropped, unknown provider codes and states are accepted, and long text is truncated.
 */
export const readSourceSchema = z.object({
  id: idSchema,
  name: readText(TEXT_LIMITS.name),
  provider: readCode,
  status: readCode,
  link: readUrl,
  connectionCount: z.int().nonnegative().nullable().catch(null),
  organizationId: readText(TEXT_LIMITS.name),
  organizationName: readText(TEXT_LIMITS.name),
  organizationSlug: readText(TEXT_LIMITS.name),
});

/** A source as a client reads it. */
export type ReadSource = z.infer<typeof readSourceSchema>;
