import type { ServerResponse } from 'node:http';
import { writeMergedHead } from '../../http/merged-head.ts';
import type { Access } from '../../http/request-context.ts';

/**
 * Writes the head of a response for a single browser, by the access of its route. Files stay cached. Everything else, charts
 * included, is revalidated each time, differs by cookie, and is for pages of the same origin. An answer with `no-store` keeps it.
 */
export function writePrivateHead(response: ServerResponse, status: number, headers: string[], access: Access): void {
  const at = headers.indexOf('Cache-Control') + 1;
  const cacheControl = at === 0 ? undefined : (headers[at] ?? '');
  if (access === 'file') {
    if (cacheControl !== undefined) headers[at] = cacheControl.replace('public', 'private');
  } else if (access !== 'probe') {
    if (cacheControl !== undefined && !cacheControl.includes('no-store')) headers[at] = 'private, no-cache';
    // A proxy may be told to store errors, too. A page on another port of the host sends the same cookies.
    headers.push('Vary', 'Cookie', 'Cross-Origin-Resource-Policy', 'same-origin');
  }
  writeMergedHead(response, status, headers);
}
