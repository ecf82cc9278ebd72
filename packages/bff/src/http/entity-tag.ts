import { createHash } from 'node:crypto';

/** Characters of a base64url SHA-256 that are kept: 132 bits, enough that no two bodies ever share a tag. */
const TAG_LENGTH = 22;

/** A strong entity tag (RFC 9110, 8.8.3) for exactly these bytes. */
export function entityTagOf(body: Uint8Array): string {
  return `"${createHash('sha256').update(body).digest('base64url').slice(0, TAG_LENGTH)}"`;
}

/**
 * Returns whether `If-None-Match` names `tag`, by weak comparison (RFC 9110, 13.1.2).
 * Written here because Express answers 200 to a request with `Cache-Control: no-cache`, which `fetch` adds by itself.
 */
export function isNoneMatch(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch === tag) return true;
  if (ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((listed) => listed.trim().replace(/^W\//, '') === tag);
}
