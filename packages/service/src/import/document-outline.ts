import { idSchema } from '@pulse-card/contract';
import { z } from 'zod';

const id = idSchema.optional().catch(undefined);

function entries<Shape extends z.ZodRawShape>(shape: Shape) {
  const entry = z.object({ id, ...shape });
  return z.array(entry.catch(() => entry.parse({}))).catch([]);
}

const outlineSchema = z
  .object({
    accounts: entries({}),
    organizations: entries({}),
    sources: entries({ accountId: id, organizationId: id }),
    connections: entries({ sourceId: id }),
    runs: entries({ connectionId: id, image: z.string().min(1).nullish().catch(undefined) }),
  })
  .catch({ accounts: [], organizations: [], sources: [], connections: [], runs: [] });

/**
 * The IDs, references, and charts that a document contains. This is enough to check them together with all other
 * errors.
 */
export type DocumentOutline = z.output<typeof outlineSchema>;

/** The outline of any JSON value. Invalid parts are omitted. */
export function outlineOf(json: unknown): DocumentOutline {
  return outlineSchema.parse(json);
}
