import { z } from 'zod';

/** The maximum length of a source ID, in characters. */
export const SOURCE_ID_MAX_LENGTH = 128;

/**
 * The form of a source ID: the unreserved characters of RFC 3986, 2.3, without a leading dot. The spec doesn't define
 * the form. An ID in this form doesn't need escaping in a path, a query, or a cache key, and can't be a dot segment.
 */
export const SOURCE_ID_PATTERN = /^[A-Za-z0-9_~-][A-Za-z0-9._~-]{0,127}$/;

/** Whether `id` can be a source ID. */
export function isSourceId(id: unknown): id is string {
  return typeof id === 'string' && SOURCE_ID_PATTERN.test(id);
}

/** The ID of a source, an account, or a run. All follow the same rule. */
export const idSchema = z
  .string()
  .regex(SOURCE_ID_PATTERN, 'must be 1 to 128 letters, digits, ".", "_", "~", or "-", not starting with "."');
