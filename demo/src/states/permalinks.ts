import { IS_PREVIEW } from '../shell/preview.ts';
import { BFF_URL, STUDIO_URL } from '../shell/studio-url.ts';

const STAND_IN = new URL('stand-in/', STUDIO_URL).href;

/**
 * The URL of the page that a card's permalink opens. The permalink itself is a URL for data requests, which can't be
 * opened in a tab. The stand-in's runs are made up, so their permalinks open the latest run. Returns undefined for any
 * other link.
 */
export function pageOfPermalink(href: string): string | undefined {
  const isMadeUp = href.startsWith(STAND_IN);
  if (!isMadeUp && !href.startsWith(BFF_URL)) return undefined;
  const url = new URL(href);
  const [, path] = /(\/embed\/[^/]+)$/.exec(url.pathname) ?? [];
  return path && new URL(`frames${path}${isMadeUp ? '' : url.search}`, STUDIO_URL).href;
}

/** Enables permalinks for the cards on this page. A preview has no pages for them to open. */
export function followPermalinks(): void {
  document.addEventListener('click', (event) => {
    const link = event.composedPath().find((target) => target instanceof HTMLAnchorElement);
    const page = link && pageOfPermalink(link.href);
    if (page === undefined) return;
    event.preventDefault();
    if (!IS_PREVIEW) open(page, '_blank', 'noopener');
  });
}
