import type { ServerResponse } from 'node:http';
import vary from 'vary';
import type { Access } from '../../http/request-context.ts';

/**
 * Writes the head of a response after an application that may have set headers before. Those are kept: `Vary` and
 * `Cache-Control` are joined. `headers` is name, value, name, value.
 */
export function writeMergedHead(response: ServerResponse, status: number, headers: string[]): void {
  for (let at = 0; at < headers.length; at += 2) {
    const [name = '', value = ''] = headers.slice(at, at + 2);
    if (name === 'Vary') vary(response, value);
    else if (name.endsWith('Cache-Control') && response.hasHeader(name))
      response.setHeader(name, joinedCacheControl(String(response.getHeader(name)), value));
    else response.setHeader(name, value);
  }
  response.writeHead(status);
}

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

/**
 * Joins two `Cache-Control` values (RFC 9111, section 5.2.2): one with `no-store` stands alone, `private` beats `public`, and the
 * smaller of two numbers counts.
 */
export function joinedCacheControl(theirs: string, ours: string): string {
  const unstored = [theirs, ours].find((value) => /\bno-store\b/i.test(value));
  if (unstored !== undefined) return unstored;
  const joined = new Map<string, string>();
  for (const directive of `${theirs},${ours}`.toLowerCase().split(',')) {
    const [name = '', value = ''] = directive.trim().split('=', 2);
    if (!(Number(joined.get(name)) < Number(value))) joined.set(name, value);
  }
  if (joined.has('private')) joined.delete('public');
  return [...joined].map(([name, value]) => (value === '' ? name : `${name}=${value}`)).join(', ');
}
