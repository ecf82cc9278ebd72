import { idSchema } from '@pulse-card/contract';
import type { Request } from 'express';
import { z } from 'zod';
import type { Permission, PermissionCheck } from '../../http/access.ts';
import { ApiError } from '../../http/errors.ts';
import type { Clock } from '../../lib/clock.ts';

/** The maximum length of a reader's name, in characters. */
const MAX_READER = 256;

/** How long the application may take to respond, in ms. */
const TIMEOUT_MS = 5_000;

const UNKNOWN = 'Pulses are unavailable: the application didn’t specify what this reader is allowed to see';

/**
 * Asks the application what a request may see. Throws `signed_out` if it returns `null`, and `upstream_unavailable` if
 * it throws, takes 5 s, or returns anything else.
 */
export function authorizeCheck(
  authorize: (req: Request) => unknown,
  clock: Clock,
  onHostFault: (message: string) => void,
): PermissionCheck {
  return async (req) => {
    const late = Promise.withResolvers<never>();
    const cancel = clock.schedule(TIMEOUT_MS, () => late.reject(new Error('it took 5 s')));
    try {
      const answer = await Promise.race([(async () => authorize(req))(), late.promise]);
      if (answer === null) throw new ApiError('signed_out');
      return permissionIn(answer);
    } catch (fault) {
      if (fault instanceof ApiError) throw fault;
      const detail = `authorize() failed: ${thrownText(fault)}`;
      onHostFault(detail);
      // The response doesn't reveal anything about the reader.
      throw new ApiError('upstream_unavailable', { error: UNKNOWN, detail });
    } finally {
      cancel();
    }
  };
}

const sourcesSchema = z.union([z.literal('*'), z.array(idSchema)], 'must be "*" or an array of source IDs');

const permissionSchema = z.strictObject({
  sources: sourcesSchema,
  reader: z.string('must be a string').max(MAX_READER, `can have up to ${MAX_READER} characters`).optional(),
});

/** The application's return value: sources, or an object with sources and optionally a reader. */
function permissionIn(answer: unknown): Permission {
  const isNamed = typeof answer === 'object' && answer !== null && 'sources' in answer;
  const { data, error } = permissionSchema.safeParse(isNamed ? answer : { sources: answer });
  if (data) return { sources: data.sources === '*' ? '*' : new Set(data.sources), reader: data.reader };
  const { path, message } = error.issues[0] ?? { path: [], message: '' };
  throw new TypeError(`it returned the wrong permissions: ${[...path, message].join(' ')}`);
}

/** The message of an error thrown by one of the application's functions. */
export function thrownText(fault: unknown): string {
  return fault instanceof Error ? fault.message : `it threw a value of type ${typeof fault}`;
}
