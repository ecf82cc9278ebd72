import type { ServerResponse } from 'node:http';
import vary from 'vary';

/**
 * Writes the head of a response after an application that may have set headers before. Those are kept: `Vary` lists are
 * joined, and of two `Cache-Control` the stricter directives win. `headers` is name, value, name, value.
 */
export function writeMergedHead(response: ServerResponse, status: number, headers: string[]): void {
  if (isUntouched(response)) return void response.writeHead(status, headers);
  for (let at = 0; at < headers.length; at += 2) {
    const [name = '', value = ''] = headers.slice(at, at + 2);
    if (name === 'Vary') vary(response, value);
    else if (name.endsWith('Cache-Control'))
      response.setHeader(name, stricterCacheControl(response.getHeader(name), value));
    else response.setHeader(name, value);
  }
  response.writeHead(status);
}

/** Returns whether the application has neither set a header nor wrapped `writeHead` (as the on-headers package does). */
function isUntouched(response: ServerResponse): boolean {
  return response.getHeaderNames().length === 0 && !Object.hasOwn(response, 'writeHead');
}

/**
 * Writes the head of a response for a single browser: data is revalidated each time and differs by cookie, files whose address
 * has their hash stay cached. `no-store` stays.
 */
export function writePrivateHead(response: ServerResponse, status: number, headers: string[]): void {
  const at = headers.indexOf('Cache-Control');
  const cacheControl = headers[at + 1] ?? '';
  if (at === -1 || cacheControl.includes('no-store')) return writeMergedHead(response, status, headers);
  const isFile = cacheControl.startsWith('public') || cacheControl.includes('immutable');
  headers[at + 1] = isFile ? cacheControl.replace('public', 'private') : 'private, no-cache';
  if (!isFile) headers.push('Vary', 'Cookie');
  writeMergedHead(response, status, headers);
}

/** Directives whose smaller number is the stricter one. */
const LIFETIMES = ['max-age', 's-maxage', 'stale-while-revalidate', 'stale-if-error'];

/** Directives that have no meaning beside a stricter one. */
const OVERRULED: Readonly<Record<string, readonly string[]>> = {
  private: ['public', 's-maxage'],
  'no-cache': ['stale-while-revalidate', 'stale-if-error', 'immutable'],
  'must-revalidate': ['stale-while-revalidate', 'stale-if-error', 'immutable'],
  'no-store': ['public', 'no-cache', 'immutable', ...LIFETIMES],
};

/** The stricter of two `Cache-Control` values, directive by directive (RFC 9111, section 5.2.2). */
export function stricterCacheControl(existing: ReturnType<ServerResponse['getHeader']>, own: string): string {
  if (existing === undefined) return own;
  const [theirs, ours] = [directivesOf(String(existing)), directivesOf(own)];
  const merged = new Map([...theirs, ...ours]);
  for (const name of LIFETIMES) {
    const seconds = [theirs.get(name), ours.get(name)].filter((value) => value !== undefined).map(Number);
    if (seconds.length > 0) merged.set(name, String(Math.min(...seconds) || 0));
  }
  for (const [name, overruled] of Object.entries(OVERRULED)) {
    if (merged.has(name)) for (const other of overruled) merged.delete(other);
  }
  return [...merged].map(([name, value]) => (value === '' ? name : `${name}=${value}`)).join(', ');
}

function directivesOf(cacheControl: string): Map<string, string> {
  const directives = cacheControl.split(',').map((directive) => directive.trim());
  return new Map(
    directives
      .filter((directive) => directive !== '')
      .map((directive) => {
        const [name = '', value = ''] = directive.split('=', 2);
        return [name.trim().toLowerCase(), value.trim()];
      }),
  );
}
