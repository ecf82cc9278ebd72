import { OPEN_TO_ALL } from '../../http/origins.ts';
import { JSON_TYPE } from '../../http/representation.ts';
import { CHANGING, IMMUTABLE } from '../../http/cache-headers.ts';

/** Lets browsers cache data for a minute, and use older data while the host is down. */
const DATA = 'public, max-age=60, stale-while-revalidate=86400, stale-if-error=604800';

/** Routes whose files have no extension. A host can't tell the type of these files. */
const JSON_PATHS = ['/v1/pulses', '/v1/sources', '/v1/sources/', '/v1/sources/:source/pulse'];

const CHANGING_PATHS = [
  '/pulse-card.js',
  '/pulse-board.js',
  '/pulse-frame.js',
  '/pulse-frame-page.js',
  '/pulse-icon.svg',
  '/pulse-card-lang/*',
  '/THIRD-PARTY-NOTICES.txt',
];

const HASHED_PATHS = [
  '/pulse-card-:hash.css',
  '/pulse-card-after-paint-:hash.js',
  '/pulse-card-extras-:hash.js',
  '/pulse-board-:hash.js',
];

/** The facts that determine the rules for static hosts. */
export interface HostFacts {
  readonly allowedOrigins: '*' | readonly string[];
  /** The headers of pages for frames, as name, value, name, value. */
  readonly frameHeaders: readonly string[];
  readonly scriptHash: string | undefined;
}

/** The `_headers` file, which sets response headers on Netlify and Cloudflare Pages. */
export function headersFile({ allowedOrigins, frameHeaders, scriptHash }: HostFacts): string {
  const safety = ['X-Content-Type-Options', 'nosniff', 'Cross-Origin-Resource-Policy', 'cross-origin'];
  const data = [...originHeader(allowedOrigins), ...safety, 'Cache-Control', DATA];
  const hashed = [...HASHED_PATHS, ...(scriptHash === undefined ? [] : [`/pulse-card-${scriptHash}.js`])];
  return [
    rule('/v1/*', data),
    ...JSON_PATHS.map((path) => rule(path, ['Content-Type', JSON_TYPE])),
    rule('/v1/sources/:source/image', ['Content-Type', 'image/png']),
    ...CHANGING_PATHS.map((path) => rule(path, [...OPEN_TO_ALL, 'Cache-Control', CHANGING])),
    ...hashed.map((path) => rule(path, [...OPEN_TO_ALL, 'Cache-Control', IMMUTABLE])),
    rule('/embed/*', [...frameHeaders, 'Cache-Control', DATA]),
  ].join('\n');
}

/**
 * The `_redirects` file. The file maps the path of the list to the list's file, because a folder with the same name
 * exists.
 */
export const REDIRECTS_FILE = '/v1/sources /v1/sources.json 200\n';

/** A static host sends the same value to all pages. With several origins, this value must be `*`. */
function originHeader(allowed: HostFacts['allowedOrigins']): string[] {
  if (allowed.length === 0) return [];
  return ['Access-Control-Allow-Origin', allowed === '*' || allowed.length > 1 ? '*' : allowed.join('')];
}

/** The rule for a path. `Vary` is left out, because the host sets it. */
function rule(path: string, headers: readonly string[]): string {
  const lines = headers.flatMap((name, at) =>
    at % 2 === 0 && name !== 'Vary' ? [`  ${name}: ${headers[at + 1]}\n`] : [],
  );
  return `${path}\n${lines.join('')}`;
}
