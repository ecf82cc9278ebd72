import { z } from 'zod';
import { TEXT_LIMITS } from './text.ts';

const LOOPBACK_HOSTS = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Whether `host`, written like `URL.hostname`, is this machine. */
export function isLoopbackHost(host: string): boolean {
  return LOOPBACK_HOSTS.has(host) || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
}

/**
 * The canonical form of a URL that a reader's browser may open, or undefined. The URL must be absolute and use `https:`
 * (`http:` for loopback), without a username, control characters, spaces, or backslashes.
 */
export function safeUrl(raw: string): string | undefined {
  // eslint-disable-next-line no-control-regex -- it rejects control characters
  if (raw.length > TEXT_LIMITS.url || /[\u0000-\u0020\u007f\\]/.test(raw)) return undefined;
  if (!/^https?:\/\//i.test(raw) || !URL.canParse(raw)) return undefined;
  const url = new URL(raw);
  if (url.username !== '' || url.password !== '') return undefined;
  if (url.protocol === 'https:' || isLoopbackHost(url.hostname)) return url.href;
  return undefined;
}

/**
 * A host written like `URL.hostname`. Browsers allow more characters (`*`, `;`, `'`), which have other meanings in a
 * policy.
 */
const HOST = /^(?:\[[\da-f:.]+\]|[\da-z_.-]+)$/;

/** Whether `hostname` is a plain host: ASCII, lowercase, no wildcard. */
export function isPlainHost(hostname: string): boolean {
  return HOST.test(hostname);
}

/** Whether `text` is an origin exactly as browsers send it: `https://www.example.com`, `http://localhost:8123`. */
export function isExactOrigin(text: unknown): text is string {
  if (typeof text !== 'string' || !/^https?:\/\//.test(text) || !URL.canParse(text)) return false;
  const { origin, hostname } = new URL(text);
  return origin === text && isPlainHost(hostname);
}

/**
 * Origins of apps and browser extensions. `URL.origin` is `null` for these schemes, so they are compared as strings.
 */
const APP_ORIGIN = /^(?:capacitor|ionic|tauri|app|chrome-extension|moz-extension):\/\/[\w.-]{1,255}(?::[1-9]\d{0,4})?$/;

/** Whether `text` is an origin as browsers and apps send it: `https://www.example.com`, `capacitor://localhost`. */
export function isOrigin(text: unknown): text is string {
  return isExactOrigin(text) || (typeof text === 'string' && APP_ORIGIN.test(text));
}

const PATTERN_START = 'https://*.';

/** Labels of a host name, as browsers send them. */
const LABELS = /^[a-z\d_-]+(?:\.[a-z\d_-]+)*$/;

/** Whether an origin, as a browser sends it, is in the list or matches one of its patterns, at any depth. */
export function matchesOrigin(patterns: readonly string[], origin: string): boolean {
  if (origin.includes('*')) return false;
  return patterns.some(
    (pattern) => pattern === origin || (pattern.startsWith(PATTERN_START) && isBelow(origin, pattern)),
  );
}

function isBelow(origin: string, pattern: string): boolean {
  const end = pattern.slice(PATTERN_START.length - 1);
  return origin.startsWith('https://') && origin.endsWith(end) && LABELS.test(origin.slice(8, -end.length));
}

/** A scheme, a host with or without a leading `*.`, and a port. */
const POLICY_SOURCE = /^[a-z][a-z\d+.-]*:\/\/(?:\*\.)?[\da-z_.-]+(?::\d{1,5})?$/;

/**
 * Whether a Content-Security-Policy can contain `origin`, which may be a pattern such as `https://*.example.com`. No
 * policy can contain an IPv6 address (CSP 3, section 2.3.1): browsers ignore the entry and log an error.
 */
export function canPolicyName(origin: string): boolean {
  return POLICY_SOURCE.test(origin);
}

/** A URL as the service sends it: `https:`, or `http:` on a loopback host. */
export const httpsOrLoopbackUrl = z
  .url()
  .refine((raw) => safeUrl(raw) !== undefined, 'must be an https: URL (http: on a loopback host only)');

/** A URL as a client reads it: canonical, or null if it isn't a URL that browsers should open. */
export const readUrl = z
  .string()
  .transform((raw) => safeUrl(raw) ?? null)
  .nullable()
  .catch(null);

/**
 * A placeholder for a chart URL that doesn't refer to a web server. It isn't null, so that it can be distinguished from
 * a missing chart.
 */
export const NO_WEB_ADDRESS = 'about:invalid';

/**
 * A chart's URL as a client reads it: canonical, with any host over `https:` or `http:`. Check it before use, because
 * not every such URL is safe to open in a browser. A value that isn't text is null.
 */
export const readChartUrl = z
  .string()
  .transform((raw) => safeUrl(raw) ?? plainHttpUrl(raw) ?? NO_WEB_ADDRESS)
  .nullable()
  .catch(null);

/** The canonical form of an `http:` URL whose `https:` form would be safe. */
function plainHttpUrl(raw: string): string | undefined {
  return safeUrl(raw.replace(/^http:/i, 'https:')) === undefined ? undefined : new URL(raw).href;
}
