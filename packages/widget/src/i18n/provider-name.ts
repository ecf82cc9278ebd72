/** The names with a capital letter inside a word. */
const NAMES = ['BigQuery', 'HubSpot', 'MySQL', 'PayPal', 'QuickBooks', 'WooCommerce'];

/** A provider's usual name. For example, `GOOGLE` is Google, and `BIGQUERY` is BigQuery. */
export function providerName(code: string): string {
  return code.replaceAll('_', ' ').replaceAll(/\S+/g, (word) => {
    const known = NAMES.find((name) => name.toUpperCase() === word.toUpperCase());
    return known ?? (word[0] as string).toUpperCase() + word.slice(1).toLowerCase();
  });
}

/**
 * The color of a provider's dot, computed from the code's first letter and length. The lightness varies, too, because
 * many hues look alike to color-blind readers.
 */
export function providerColor(code: string): string {
  return `hsl(${code.charCodeAt(0) * 297} 55% ${33 + (code.length % 5) * 8}%)`;
}
