import { updateAll } from './controllers/page.ts';
import { propertyOf } from './dom.ts';

let pageBaseUrl = '';

/** Sets the BFF's URL for all elements on the page that don't have a `base-url`. */
export function setBaseUrl(url: string): void {
  pageBaseUrl = url;
  updateAll();
}

/** The URL of the script's folder; empty if the script has no folder, as with `blob:` and `data:`. */
export function folderOf(url: string): string {
  return URL.canParse('.', url) ? new URL('.', url).href : '';
}

/** The BFF's URL without a trailing slash: `own`, or else the URL that the page sets, or else the page's origin. */
export function resolveBaseUrl(own: string | URL | null | undefined): string {
  return String(own || pageBaseUrl || location.origin).replace(/\/+$/, '');
}

/** `url` resolved against the page, without a trailing slash. */
export function absoluteUrl(url: string): string {
  const base = globalThis.document && propertyOf('baseURI');
  const { href } = URL.canParse(url, base) ? new URL(url, base) : { href: url };
  return href.replace(/\/+$/, '');
}

/** The host and port of a BFF's URL. */
export function hostOf(baseUrl: string): string {
  const url = absoluteUrl(baseUrl);
  return url.split('/')[2] ?? url;
}
