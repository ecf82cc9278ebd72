import { updateAll } from './controllers/page.ts';

let pageBaseUrl = '';

/** Sets the BFF's address for all elements on the page that have no `base-url`. */
export function setBaseUrl(url: string): void {
  pageBaseUrl = url;
  updateAll();
}

/** The BFF's address without a slash at its end: `own`, the address that the page sets, or the page's origin. */
export function resolveBaseUrl(own: string | URL | null | undefined): string {
  return String(own || pageBaseUrl || location.origin).replace(/\/+$/, '');
}

/** `url` resolved against the page, without a slash at its end. */
export function absoluteUrl(url: string): string {
  const { href } = URL.canParse(url, globalThis.document?.baseURI)
    ? new URL(url, globalThis.document?.baseURI)
    : { href: url };
  return href.replace(/\/+$/, '');
}
