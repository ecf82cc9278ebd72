import { framePolicy } from '../embed/frame-policy.ts';
import { CHANGING, IMMUTABLE } from '../http/routes/script-route.ts';

/** Browsers may keep data for a minute, and use what they have while the host is down. */
const DATA = 'public, max-age=60, stale-while-revalidate=86400, stale-if-error=604800';

const JSON_TYPE = 'Content-Type: application/json; charset=utf-8';

/** What the files for static hosts are made from. */
export interface HostFacts {
  readonly allowedOrigins: '*' | readonly string[];
  /** Where the charts of pages for frames come from. */
  readonly imageOrigins: readonly string[];
  readonly scriptHash: string | undefined;
}

/** `_headers`, which sets response headers on Netlify and Cloudflare Pages. */
export function headersFile({ allowedOrigins, imageOrigins, scriptHash }: HostFacts): string {
  const origin = originOf(allowedOrigins);
  const toAll = ['Access-Control-Allow-Origin: *', 'Cross-Origin-Resource-Policy: cross-origin'];
  const data = [
    'X-Content-Type-Options: nosniff',
    'Cross-Origin-Resource-Policy: cross-origin',
    `Cache-Control: ${DATA}`,
  ];
  return [
    rule('/v1/*', [...(origin === undefined ? [] : [`Access-Control-Allow-Origin: ${origin}`]), ...data]),
    rule('/v1/pulses', [JSON_TYPE]),
    rule('/v1/sources', [JSON_TYPE]),
    rule('/v1/sources/', [JSON_TYPE]),
    rule('/v1/sources/:source/pulse', [JSON_TYPE]),
    rule('/v1/sources/:source/image', ['Content-Type: image/png']),
    rule('/pulse-card.js', [...toAll, `Cache-Control: ${CHANGING}`]),
    ...(scriptHash === undefined
      ? []
      : [rule(`/pulse-card-${scriptHash}.js`, [...toAll, `Cache-Control: ${IMMUTABLE}`])]),
    rule('/pulse-card-:hash.css', [...toAll, `Cache-Control: ${IMMUTABLE}`]),
    rule('/pulse-frame.js', [...toAll, `Cache-Control: ${CHANGING}`]),
    rule('/pulse-frame-page.js', [...toAll, `Cache-Control: ${CHANGING}`]),
    rule('/pulse-card-lang/*', [...toAll, `Cache-Control: ${CHANGING}`]),
    rule('/embed/*', [...linesOf(framePolicy({ allowedOrigins, imageOrigins })), `Cache-Control: ${DATA}`]),
  ].join('\n');
}

/** `_redirects`, which maps the list to its file: a folder of its name exists. */
export const REDIRECTS_FILE = '/v1/sources /v1/sources.json 200\n';

/** A static file has one value for all pages: several origins become `*`. */
function originOf(allowedOrigins: HostFacts['allowedOrigins']): string | undefined {
  if (allowedOrigins === '*') return '*';
  return allowedOrigins.length > 1 ? '*' : allowedOrigins[0];
}

/** Name, value, name, value as lines; `Vary` is the host's own affair. */
function linesOf(headers: readonly string[]): string[] {
  return headers.flatMap((name, at) => (at % 2 === 0 && name !== 'Vary' ? [`${name}: ${headers[at + 1]}`] : []));
}

function rule(path: string, headers: readonly string[]): string {
  return `${path}\n${headers.map((header) => `  ${header}\n`).join('')}`;
}
