import { z } from 'zod';

/** The scopes that a key can have, one for each data operation. The spec doesn't define any scopes. */
export const KEY_SCOPES = ['sources:read', 'pulses:read'] as const;

/** A key's scope. */
export type KeyScope = (typeof KEY_SCOPES)[number];

/** A key's scope, as a schema. */
export const keyScopeSchema = z.enum(KEY_SCOPES);

/** The header that carries the key (spec, "Authentication"). */
export const KEY_HEADER = 'X-API-Key';

/** The number of days until a key expires, unless a different number was set when it was created (spec, "Limits"). */
export const KEY_EXPIRES_IN_DAYS = 90;
