import { variantOf } from '../elements/variants.ts';
import type { SnippetOptions } from './snippet-options.ts';

/** The URL of the page that shows a card without a script. */
export function framePageUrl({ sourceId, baseUrl, variant, theme = 'auto', language, look }: SnippetOptions): string {
  const query = new URLSearchParams();
  if (variantOf(variant) !== 'card') query.set('variant', variantOf(variant));
  if (theme !== 'auto') query.set('theme', theme);
  if (language) query.set('lang', language);
  for (const [name, value] of new URLSearchParams(look)) query.set(name, value);
  return `${bffUrl(baseUrl)}/embed/${encodeURIComponent(sourceId)}${query.size > 0 ? `?${query}` : ''}`;
}

/** The URL of a source's latest chart. */
export function chartUrl({ sourceId, baseUrl }: Pick<SnippetOptions, 'sourceId' | 'baseUrl'>): string {
  return `${bffUrl(baseUrl)}/v1/sources/${encodeURIComponent(sourceId)}/image`;
}

/** The BFF's URL without a trailing slash. Throws if a page can't load a script from this URL. */
export function bffUrl(baseUrl: string): string {
  if (!/^https?:\/\//i.test(baseUrl) || !URL.canParse(baseUrl))
    throw new TypeError(
      `Can’t create a snippet: baseUrl is "${baseUrl}". Use the URL of the BFF, such as https://pulse.example.com`,
    );
  return baseUrl.replace(/\/+$/, '');
}
