import { closestMatch } from 'leven';
import { type DoctorSettings, isBareOrigin, isOriginAllowed, type PageFault, type PageResult } from '../facts.ts';
import { type Finding, findingOf, type Texts } from '../finding.ts';

/**
 * Explains why the page couldn't be read. This is an error if the page itself is the problem, unless only an origin was
 * given.
 */
export function pageFinding({ fault, url, asked }: PageResult & { ok: false }): Finding {
  const isAtFault = ['status', 'not-html', 'redirects'].includes(fault.kind) && !isBareOrigin(new URL(asked));
  const last = new URL(url);
  const found = TEXTS[fault.kind]({ asked: new URL(asked), last, found: fault.found || 'unknown' });
  const texts = { title: `The page at ${last.origin} couldn’t be fetched.`, ...found };
  texts.detail += ' The cards weren’t checked.';
  return findingOf('page_unreachable', texts, isAtFault ? 'error' : 'warning');
}

/** The requested URL, the last one after redirects, and the status or the content type that was found there. */
type FoundPage = Readonly<{ asked: URL; last: URL; found: string }>;

/** `title` is omitted if the page couldn't be fetched. */
type PageTexts = Omit<Texts, 'title'> & Partial<Texts>;

const LET_IN = 'Allow the User-Agent "pulse-doctor" to load the page, or check a copy that doesn’t require a login';

const TEXTS: Readonly<Record<PageFault['kind'], (page: FoundPage) => PageTexts>> = {
  private: ({ asked, last }) => ({
    title: `The page at ${last.origin} wasn’t fetched: its IP address is private.`,
    detail: 'The Check page fetches only public pages, and local pages whose origin is in PULSE_ALLOWED_ORIGINS.',
    fix: `Run in a terminal: pulse-doctor ${urlOf(asked)}`,
  }),
  DNS: ({ last }) => ({
    detail: 'The host name couldn’t be resolved on this machine (DNS).',
    fix: `Correct the name ${last.hostname}, or run pulse-doctor on a machine that can resolve it`,
  }),
  TLS: ({ last }) => ({
    detail: 'The certificate isn’t valid, or the server doesn’t use TLS on that port.',
    fix: `Renew the certificate. If it is from your own certificate authority, run NODE_EXTRA_CA_CERTS=ca.pem pulse-doctor ${urlOf(last)}`,
  }),
  connection: ({ last }) => ({
    detail: 'The connection couldn’t be opened, or it was closed early.',
    fix: `Start the server at ${last.origin}, or correct the scheme and port in the URL`,
  }),
  timeout: ({ last }) => ({
    detail: 'The page didn’t load within 10 seconds.',
    fix: `Allow this machine through the firewall for ${last.origin}, or run pulse-doctor on another machine`,
  }),
  body: () => ({
    detail: 'The page’s Content-Encoding is unknown, or its body is corrupt or larger than 2 MiB.',
    fix: 'Send the page with a Content-Encoding header that matches its actual encoding: gzip, br, deflate, or none',
  }),
  redirects: ({ last }) => ({
    title: 'The page redirects more than three times, or it redirects to something that isn’t a web page.',
    detail: `The last redirect was from ${last.origin}.`,
    fix: 'Run pulse-doctor with the URL that a browser shows after all redirects',
  }),
  elsewhere: ({ last }) => ({
    title: `The page redirects to ${urlOf(last)}, which has no card.`,
    detail: 'The page probably requires a login.',
    fix: LET_IN,
  }),
  status({ last, found }) {
    const title = `The page at ${last.origin} returned ${found}.`;
    const fix = `Check ${urlOf(last)} in a browser, then correct the URL or fix the page`;
    // A program might get these statuses even if a browser gets the page.
    if (!/^(?:401|403|407|429)$/.test(found))
      return { title, detail: 'A page with a card must respond with 200.', fix };
    const detail = 'The page requires a login, or the server blocks requests that don’t come from a browser.';
    return { title, detail, fix: LET_IN };
  },
  'too-complex': ({ last }) => ({
    title: `The page at ${last.origin} couldn’t be checked: the check took longer than 10 seconds or used more than 128 MB.`,
    detail: 'No ordinary page is this large.',
    fix: 'Run pulse-doctor on a smaller page that has the same card',
  }),
  'not-html': ({ found }) => ({
    title: 'There is no HTML at this URL.',
    detail: `The content type is ${found}.`,
    fix: 'Run pulse-doctor with the URL of the page that contains the card, or serve the page as text/html',
  }),
};

/** A URL without its query, because the query might contain a secret. */
export function urlOf({ origin, pathname }: URL): string {
  return origin + pathname;
}

/** Reports an `origin` whose pages aren't allowed to show cards. */
export function originFinding(origin: string, settings: DoctorSettings): Finding | undefined {
  if (isOriginAllowed(origin, settings)) return undefined;
  const listed = settings.allowedOrigins === '*' ? [] : settings.allowedOrigins;
  const near = closestMatch(origin, listed, { maxDistance: 5 });
  // The doctor's command doesn't know the list, so it can't repeat it.
  const all = [...listed, origin].join(',');
  return findingOf('origin_not_allowed', {
    title: `${origin} isn’t in PULSE_ALLOWED_ORIGINS.`,
    detail: `The BFF rejects requests from pages on this origin.${near === undefined ? '' : ` ${near} is allowed; origins are compared exactly, with scheme, host and port.`} Restart the BFF after the change.`,
    fix: listed.length === 0 ? `Add ${origin} to PULSE_ALLOWED_ORIGINS` : `PULSE_ALLOWED_ORIGINS=${all}`,
  });
}

/**
 * The origin that is checked. This is the origin of the page that was read. If no page was read, it is the requested
 * origin, or the allowed origin that it redirects to.
 */
export function judgedOrigin({ ok, asked, url }: PageResult, settings: DoctorSettings): string {
  const [first, last] = [new URL(asked), new URL(url)];
  const isMoved =
    isBareOrigin(first) && !isOriginAllowed(first.origin, settings) && isOriginAllowed(last.origin, settings);
  const [one, other] = [first, last].map(({ hostname }) => hostname.replace(/^www\./, ''));
  return (ok || isMoved || one === other ? last : first).origin;
}
