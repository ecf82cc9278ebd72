import { isSourceId } from '@pulse-card/contract';
import type { Request } from 'express';
import type { Permission, PermissionCheck } from '../../http/access.ts';
import { ApiError } from '../../http/errors.ts';
import type { Clock } from '../../lib/clock.ts';

/** The maximum length of a reader's name, in characters. */
const MAX_READER = 256;

/** How long the application may take to respond, in ms. */
const TIMEOUT_MS = 5_000;

const UNKNOWN = 'Pulses are unavailable: the application didn’t say what this reader may see';

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

/** The application's return value: permissions, or an object with permissions and optionally a reader. */
function permissionIn(answer: unknown): Permission {
  if (typeof answer !== 'object' || answer === null || !('sources' in answer))
    return { sources: sourcesIn(answer, '') };
  const { sources, reader, ...others } = answer as Record<string, unknown>;
  if (Object.keys(others).length > 0)
    throw new TypeError('it returned an object with more than "sources" and "reader"');
  if (reader !== undefined && typeof reader !== 'string')
    throw new TypeError(`it returned ${inWords(reader)} as "reader", not a string`);
  if (reader !== undefined && reader.length > MAX_READER)
    throw new TypeError(`it returned a "reader" of more than ${MAX_READER} characters`);
  return { sources: sourcesIn(sources, ' as "sources"'), reader };
}

function sourcesIn(value: unknown, as: string): Permission['sources'] {
  if (value === '*') return value;
  if (Array.isArray(value) && value.every(isSourceId)) return new Set(value);
  throw new TypeError(`it returned ${inWords(value)}${as}, not "*" or an array of source IDs`);
}

/** The kind of a value, without its data. */
function inWords(value: unknown): string {
  if (Array.isArray(value)) return 'an array with an item that isn’t a source ID';
  if (value === null || value === undefined) return String(value);
  if (typeof value === 'object') return value instanceof Set ? 'a Set' : 'an object';
  return typeof value === 'string' ? 'another string' : `a ${typeof value}`;
}

/** The message of what one of the application's functions threw. */
export function thrownText(fault: unknown): string {
  return fault instanceof Error ? fault.message : `it threw a value of type ${typeof fault}`;
}
