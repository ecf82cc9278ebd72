import { z } from 'zod';

/** How much text of a field is kept when reading, in UTF-16 code units; the rest is cut. */
export const TEXT_LIMITS = { name: 1_000, summaryShort: 4_000, summaryLong: 60_000, url: 2_048 } as const;

/** Cuts `text` to `limit` code units without splitting a surrogate pair, and marks the cut. */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const kept = text.slice(0, limit - 1);
  return (kept.isWellFormed() ? kept : kept.slice(0, -1)) + '…';
}

/** Text or null, cut to `limit` code units; lone surrogates become U+FFFD. */
export function readText(limit: number) {
  return z
    .string()
    .transform((text) => cutText(text.toWellFormed(), limit))
    .nullable();
}

const LOOPBACK_HOSTS = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Says whether `host`, as `URL.hostname` spells it, is this machine. */
export function isLoopbackHost(host: string): boolean {
  return LOOPBACK_HOSTS.has(host) || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
}

/**
 * The canonical form of an address that a reader's browser may be sent to, or undefined.
 * `https:` only (`http:` for loopback), absolute, no user name, no control characters, blanks or backslashes.
 */
export function safeUrl(raw: string): string | undefined {
  // eslint-disable-next-line no-control-regex -- control characters are exactly what must not be there
  if (raw.length > TEXT_LIMITS.url || /[\u0000-\u0020\u007f\\]/.test(raw)) return undefined;
  if (!/^https?:\/\//i.test(raw) || !URL.canParse(raw)) return undefined;
  const url = new URL(raw);
  if (url.username !== '' || url.password !== '') return undefined;
  if (url.protocol === 'https:' || isLoopbackHost(url.hostname)) return url.href;
  return undefined;
}

/** An address as we write it: `https:`, or `http:` on a loopback host. */
export const httpsOrLoopbackUrl = z
  .url()
  .refine((raw) => safeUrl(raw) !== undefined, 'must be an https: address (http: on a loopback host only)');

/** An address as we read it: canonical, or null when a browser should not be sent there. */
export const readUrl = z
  .string()
  .transform((raw) => safeUrl(raw) ?? null)
  .nullable();

/** A moment in ISO 8601, read with any offset, kept as UTC with milliseconds and a year of four digits. */
export const readMoment = z.iso
  .datetime({ offset: true })
  .transform((text) => new Date(text).toISOString())
  .pipe(z.iso.datetime({ precision: 3 }))
  .nullable();
