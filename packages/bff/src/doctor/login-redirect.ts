import type { OriginPolicy } from '../auth/origin-policy.ts';
import type { FetchedPage, PageResult } from './fetch-page.ts';
import { cardFrames, type DoctorSettings, isBareOrigin } from './page-context.ts';
import { pageElementsIn } from './page-elements.ts';

/** Hosts and paths of pages that ask who the reader is. */
const LOGIN = /(?:^|\/)(?:(?:wp-)?log[-_]?in|sign[-_]?in|sso|auth|oauth2?|saml2?)(?:[/.]|$)/i;

/** `result`, or the fault `login` where a redirect from `asked` led to a page without a card that asks for a login. */
export function withoutLogin(result: PageResult, asked: URL, settings: DoctorSettings): PageResult {
  if (!result.ok || !isLogin(result, asked, settings)) return result;
  const { url, redirects } = result;
  return { ok: false, url, redirects, fault: { kind: 'login' } };
}

function isLogin({ url, redirects, html }: FetchedPage, asked: URL, settings: DoctorSettings): boolean {
  const isSameHost = hostOf(url) === hostOf(asked);
  const isSamePath = pathOf(url) === pathOf(asked);
  if (redirects === 0 || (isSameHost && isSamePath)) return false;
  const elements = pageElementsIn(html);
  const hasCards = elements.cards.length > 0 || elements.misspelt.length > 0;
  if (hasCards || cardFrames({ url, elements, settings }).length > 0) return false;
  if (LOGIN.test(isSameHost ? url.pathname : url.hostname + url.pathname)) return true;
  // The first page of an origin, and the same page on another host, may have a login in their header.
  return elements.hasPasswordField && !isSamePath && !isBareOrigin(asked);
}

/** The origin that is judged: that of the page that was read, else the one that was asked for, or the allowed one it moved to. */
export function originOf({ ok, url }: PageResult, asked: URL, policy: OriginPolicy): string {
  const isAllowed = ({ origin }: URL): boolean => policy.check(origin) === 'allowed';
  const isMoved = isBareOrigin(asked) && !isAllowed(asked) && isAllowed(url);
  return (ok || isMoved || hostOf(url) === hostOf(asked) ? url : asked).origin;
}

/** Hosts with and without `www` are the same. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^www\./, '');
}

/** Paths with and without a slash at their end are the same. */
function pathOf({ pathname }: URL): string {
  return pathname.replace(/\/$/, '');
}
