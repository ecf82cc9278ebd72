import { z } from 'zod';

/** Longest source id that is accepted, in characters. */
export const SOURCE_ID_MAX_LENGTH = 128;

/**
 * The form of a source id: the unreserved characters of RFC 3986, 2.3, never a leading dot.
 * The spec leaves the shape open; this one needs no escaping in a path, a query or a cache key, and cannot be a dot segment.
 */
export const SOURCE_ID_PATTERN = /^[A-Za-z0-9_~-][A-Za-z0-9._~-]{0,127}$/;

/** Whether `id` can be a source id. */
export function isSourceId(id: unknown): id is string {
  return typeof id === 'string' && SOURCE_ID_PATTERN.test(id);
}

/** An id of a source, an account, a run: all follow one rule. */
export const idSchema = z
  .string()
  .regex(SOURCE_ID_PATTERN, 'must be 1 to 128 letters, digits, ".", "_", "~" or "-", not starting with "."');
