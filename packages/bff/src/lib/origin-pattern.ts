import { isOrigin } from '@pulse-card/contract';
import { getPublicSuffix } from 'tldts';

const PATTERN_START = 'https://*.';

/**
 * Explains what is wrong with an allowed origin, without quoting it. Returns undefined for an exact origin as browsers
 * send it, for an app's origin, and for a pattern such as `https://*.preview.example.com`.
 */
export function originFault(text: string): string | undefined {
  if (text.includes('*')) return patternFault(text);
  return isOrigin(text) ? undefined : ORIGIN_FORM;
}

const ORIGIN_FORM =
  'isn’t an origin as browsers send it. Write it like https://www.example.com (for an app: capacitor://localhost), with scheme and host in lower case, non-ASCII letters as xn--, and without a username, default port, path, or trailing slash';

const PATTERN_FORM =
  'has a wildcard that isn’t allowed. Only https://*.preview.example.com is: https:, the star as the whole first label, a name with at least two labels, and no port or path';

function patternFault(text: string): string | undefined {
  const name = text.slice(PATTERN_START.length);
  if (!text.startsWith(PATTERN_START) || !name.includes('.') || !isHostName(name)) return PATTERN_FORM;
  if (getPublicSuffix(name, { allowPrivateDomains: true }) === name)
    return 'allows everyone’s sites, because anyone can register a name below this public suffix. Name your own part of it, or list each origin';
  return undefined;
}

function isHostName(name: string): boolean {
  return /^[a-z\d_-]+(?:\.[a-z\d_-]+)*$/.test(name) && isOrigin(`https://x.${name}`);
}
