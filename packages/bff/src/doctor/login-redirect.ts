import type { FetchedPage, PageResult } from './fetch-page.ts';
import { cardFrames, type DoctorSettings } from './page-context.ts';
import { pageElementsIn } from './page-elements.ts';

/** Paths of pages that ask who the reader is. */
const LOGIN_PATH = /\/(?:log-?in|sign-?in|sso|auth|oauth2?|saml2?)(?:[/.]|$)/i;

/** `result`, or the fault `login` where a redirect from `asked` led to a page without a card that asks for a login. */
export function withoutLogin(result: PageResult, asked: URL, settings: DoctorSettings): PageResult {
  if (!result.ok || !isLogin(result, asked, settings)) return result;
  const { url, redirects } = result;
  return { ok: false, url, redirects, fault: { kind: 'login' } };
}

function isLogin({ url, redirects, html }: FetchedPage, asked: URL, settings: DoctorSettings): boolean {
  if (redirects === 0) return false;
  const elements = pageElementsIn(html);
  const hasCards = elements.cards.length > 0 || elements.misspelt.length > 0;
  if (hasCards || cardFrames({ url, elements, settings }).length > 0) return false;
  return elements.hasPasswordField || LOGIN_PATH.test(url.pathname) || !isSameSite(asked, url);
}

/** Returns whether one host is the other one or below it, without regard to `www`. */
function isSameSite(one: URL, other: URL): boolean {
  const [a, b] = [hostOf(one), hostOf(other)];
  return a === b || a.endsWith(`.${b}`) || b.endsWith(`.${a}`);
}

/** The origin of the page that was asked for: it may be under the same name on https or with `www`. */
export function originOf(result: PageResult, asked: URL): string {
  return (result.ok || hostOf(result.url) === hostOf(asked) ? result.url : asked).origin;
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^www\./, '');
}
