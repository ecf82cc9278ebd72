import { z } from 'zod';

/** What a key may be allowed to do. The spec names no scopes; there is one for each data operation. */
export const KEY_SCOPES = ['sources:read', 'pulses:read'] as const;

/** A permission of a key. */
export type KeyScope = (typeof KEY_SCOPES)[number];

/** A permission of a key, as a schema. */
export const keyScopeSchema = z.enum(KEY_SCOPES);

/** The header that carries the key (spec, "Authentication"). */
export const KEY_HEADER = 'X-API-Key';

/** Days until a key expires, where its maker says nothing (spec, "Limits"). */
export const KEY_EXPIRES_IN_DAYS = 90;
