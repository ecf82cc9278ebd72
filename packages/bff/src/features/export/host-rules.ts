import type { Config } from '../../config.ts';
import { cachingOf } from '../../http/cache-scope.ts';
import { JSON_TYPE } from '../../http/send.ts';

/** Lets browsers cache data for a minute, and use older data while the host is down. */
const DATA = 'public, max-age=60, stale-while-revalidate=86400, stale-if-error=604800';

const SAFE = { 'X-Content-Type-Options': 'nosniff', 'Cross-Origin-Resource-Policy': 'cross-origin' };
const OPEN_TO_ALL = {
  'Access-Control-Allow-Origin': '*',
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Timing-Allow-Origin': '*',
};

/** Routes whose files have no extension. A host can't infer their type. */
const JSON_PATHS = ['/v1/pulses', '/v1/sources', '/v1/sources/', '/v1/sources/:source/pulse'];

/** Headers by name. */
type Headers = Readonly<Record<string, string>>;

/**
 * The `_headers` file, which sets response headers on Netlify and Cloudflare Pages. `frameHeaders`: the headers for
 * frame pages. `paths`: the card's files.
 */
export function headersFile(
  allowedOrigins: Config['allowedOrigins'],
  frameHeaders: Headers,
  paths: Iterable<string>,
): string {
  return [
    rule('/v1/*', { ...originHeader(allowedOrigins), ...SAFE, 'Cache-Control': DATA }),
    ...JSON_PATHS.map((path) => rule(path, { 'Content-Type': JSON_TYPE })),
    rule('/v1/sources/:source/image', { 'Content-Type': 'image/png' }),
    // Older pages may still request files of earlier versions.
    rule('/pulse-*', OPEN_TO_ALL),
    // Netlify doesn't know placeholders for a part of a name, such as its hash.
    ...Array.from(paths, (path) => rule(path, { 'Cache-Control': cachingOf(path) })),
    rule('/embed/*', { ...frameHeaders, 'Cache-Control': DATA }),
  ].join('\n');
}

/** The `_redirects` file. It maps the list's path to the list's file, because a folder with the same name exists. */
export const REDIRECTS_FILE = '/v1/sources /v1/sources.json 200\n';

/** A static host sends every page the same value, which must be `*` if there are several origins or a pattern. */
function originHeader(allowed: Config['allowedOrigins']): Headers {
  const [first, ...others] = allowed === '*' ? ['*'] : allowed;
  if (first === undefined) return {};
  return { 'Access-Control-Allow-Origin': others.length > 0 || first.includes('*') ? '*' : first };
}

function rule(path: string, headers: Headers): string {
  const lines = Object.entries(headers).map(([name, value]) => `  ${name}: ${value}\n`);
  return `${path}\n${lines.join('')}`;
}
