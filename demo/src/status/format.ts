/** Formats a duration in seconds as `20 s`, `2 min`, `3 h`, or `4 days`. */
export function shortDuration(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} days`;
}

/** Formats the time until something happens: `now` or `in 16 s`. */
export function soonWords(ms: number): string {
  return ms < 500 ? 'now' : `in ${shortDuration(ms / 1_000)}`;
}

/** A count with separators, such as `2,210`. */
export function count(value: number): string {
  return new Intl.NumberFormat('en').format(Math.round(value));
}

/** The maximum number of rows in a table. */
export const MAX_ROWS = 20;

/**
 * How many rows a table with `total` rows leaves out; empty if none. `path`: the path of this page. Only the admin port,
 * which serves the page at its root, has `/status`, which lists all rows.
 */
export function moreWords(total: number, path: string): string {
  if (total <= MAX_ROWS) return '';
  return `${count(total - MAX_ROWS)} more${path === '/' ? ' in /status' : ''}`;
}

/** `part` as a percentage of `whole`, such as `99.4%`. The result is 100% only if both numbers are equal. */
export function percentage(part: number, whole: number): string {
  if (part === whole) return '100%';
  return `${(Math.floor((1_000 * part) / whole) / 10).toFixed(1)}%`;
}

/** A provider's usual name. */
export function providerName(provider: string): string {
  return PROVIDER_NAMES[provider] ?? provider.charAt(0) + provider.slice(1).toLowerCase();
}

const PROVIDER_NAMES: Readonly<Record<string, string>> = {
  BIGQUERY: 'BigQuery',
  HUBSPOT: 'HubSpot',
  MYSQL: 'MySQL',
  PAYPAL: 'PayPal',
  QUICKBOOKS: 'QuickBooks',
  WOOCOMMERCE: 'WooCommerce',
};

/** The name of the site that a rejected or counted request came from. */
export function siteName(origin: string): string {
  if (origin === 'none') return 'no site named';
  if (origin === 'null') return 'a file or sandboxed frame';
  return origin === 'other' ? 'other sites' : origin;
}
