import { createHmac } from 'node:crypto';
import { z } from 'zod';

/** Sets this digest apart from any other of the same text; it is no secret. */
const PURPOSE = 'pulse-card account 1';

const bodySchema = z.object({ meta: z.object({ account: z.object({ id: z.string().min(1).max(1_000) }) }) });

/**
 * A digest of the account that an answer names (spec, "Response envelope meta"), to compare accounts by without keeping
 * the id; undefined where the answer names none. It never leaves the process as it is.
 */
export function accountDigestIn(document: unknown): string | undefined {
  const body = bodySchema.safeParse(document);
  return body.success ? createHmac('sha256', PURPOSE).update(body.data.meta.account.id).digest('base64url') : undefined;
}
