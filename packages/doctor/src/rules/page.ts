import { closestMatch } from 'leven';
import { type DoctorSettings, isBareOrigin, isOriginAllowed, type PageFault, type PageResult } from '../facts.ts';
import { errorFinding, type Finding, type Texts, warningFinding } from '../finding.ts';

/**
 * Explains why the page couldn't be read. This is an error if the page itself is the problem, unless only an origin was
 * given.
 */
export function pageFinding({ fault, url, asked }: PageResult & { ok: false }): Finding {
  const isAtFault = ['status', 'not-html', 'redirects'].includes(fault.kind);
  const finding = isAtFault && !isBareOrigin(new URL(asked)) ? errorFinding : warningFinding;
  const { title, detail, fix } = textsOf(fault, { asked: new URL(asked), last: new URL(url) });
  return finding('page_unreachable', { title, detail: `${detail} Only the origin was checked.`, fix });
}

const LET_IN = 'Allow the User-Agent "pulse-doctor" to load the page, or check a copy that doesn’t require a login';

function textsOf(fault: PageFault, { asked, last }: Readonly<Record<'asked' | 'last', URL>>): Texts {
  const page = `The page at ${last.origin}`;
  switch (fault.kind) {
    case 'private':
      return {
        title: `${page} wasn’t fetched: its IP address is private.`,
        detail:
          'The Check page fetches only public pages, and pages on this machine whose origin is in PULSE_ALLOWED_ORIGINS.',
        fix: `Run in a terminal: pulse-doctor ${urlOf(asked)}`,
      };
    case 'unreachable':
      return { title: `${page} couldn’t be fetched.`, ...LAYERS[fault.layer](last) };
    case 'redirects':
      return {
        title: 'The page redirects more than three times, or it redirects to something that isn’t a web page.',
        detail: `The last redirect was from ${last.origin}.`,
        fix: 'Run pulse-doctor with the URL that a browser shows after all redirects',
      };
    case 'elsewhere':
      return {
        title: `The page redirects to ${urlOf(last)}, which has no card.`,
        detail: 'The page probably requires a login.',
        fix: LET_IN,
      };
    case 'status':
      return { title: `${page} returned ${fault.status}.`, ...statusTexts(fault.status, last) };
    case 'too-complex':
      return {
        title: `${page} couldn’t be checked: the check took longer than 10 seconds or used more than 128 MB.`,
        detail: 'No ordinary page is this large.',
        fix: 'Run pulse-doctor on a smaller page that has the same card',
      };
    default:
      return {
        title: 'There is no HTML at this URL.',
        detail: `The content type is ${fault.contentType || 'unknown'}.`,
        fix: 'Run pulse-doctor with the URL of the page that contains the card, or serve the page as text/html',
      };
  }
}

/** The problem with the connection to the page, and its fix. */
const LAYERS = {
  DNS: ({ hostname }) => ({
    detail: 'The host name couldn’t be resolved on this machine (DNS).',
    fix: `Correct the name ${hostname}, or run pulse-doctor on a machine that can resolve it`,
  }),
  TLS: (url) => ({
    detail: 'The certificate isn’t valid, or the server doesn’t use TLS on that port.',
    fix: `Renew the certificate. If it is from your own certificate authority, run NODE_EXTRA_CA_CERTS=ca.pem pulse-doctor ${urlOf(url)}`,
  }),
  connection: ({ origin }) => ({
    detail: 'The connection couldn’t be opened, or it was closed early.',
    fix: `Start the server at ${origin}, or correct the scheme and port in the URL`,
  }),
  timeout: ({ origin }) => ({
    detail: 'The page didn’t load within 10 seconds.',
    fix: `Allow this machine through the firewall for ${origin}, or run pulse-doctor on another machine`,
  }),
  body: () => ({
    detail: 'The page’s Content-Encoding is unknown, or its body is corrupt or larger than 2 MiB.',
    fix: 'Send the page with a Content-Encoding header that matches its actual encoding: gzip, br, deflate, or none',
  }),
} as const satisfies Record<string, (url: URL) => Pick<Texts, 'detail' | 'fix'>>;

function statusTexts(status: number, url: URL): Pick<Texts, 'detail' | 'fix'> {
  // A program might get these statuses even if a browser gets the page.
  const isLogin = [401, 403, 407, 429].includes(status);
  return {
    detail: isLogin
      ? 'The page requires a login, or the server blocks requests that don’t come from a browser.'
      : 'A page with a card must respond with 200.',
    fix: isLogin ? LET_IN : `Check ${urlOf(url)} in a browser, then correct the URL or fix the page`,
  };
}

/** A URL without its query, because the query might contain a secret. */
function urlOf({ origin, pathname }: URL): string {
  return origin + pathname;
}

/** Reports an `origin` whose pages aren't allowed to show cards. */
export function originFinding(origin: string, settings: DoctorSettings): Finding | undefined {
  if (isOriginAllowed(origin, settings)) return undefined;
  const listed = settings.allowedOrigins === '*' ? [] : settings.allowedOrigins;
  const near = closestMatch(origin, listed, { maxDistance: 5 });
  return errorFinding('origin_not_allowed', {
    title: `${origin} isn’t in PULSE_ALLOWED_ORIGINS.`,
    detail: `The BFF rejects requests from pages on this origin.${near === undefined ? '' : ` ${near} is allowed; origins are compared exactly, with scheme, host and port.`} Restart the BFF after the change.`,
    // The doctor's command doesn't know the list, so it can't repeat it.
    fix:
      listed.length === 0
        ? `Add ${origin} to PULSE_ALLOWED_ORIGINS`
        : `PULSE_ALLOWED_ORIGINS=${[...listed, origin].join(',')}`,
  });
}
