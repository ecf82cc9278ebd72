import { isLoopbackHost } from '@pulse-card/contract';
import { closestMatch } from 'leven';
import { lineAllowing, type OriginPolicy } from '../auth/origin-policy.ts';
import { allowedImageUrl } from '../auth/ssrf-safe-lookup.ts';
import type { PageFault, PageResult } from './fetch-page.ts';
import { errorFinding, type Finding, warningFinding } from './finding.ts';
import type { DoctorContext, DoctorSettings, SourceFacts } from './page-context.ts';

/** Explains why the page could not be read. This is a warning if the page was not reached, or if only an origin was given. */
export function pageFaultFindings(
  { fault, url }: PageResult & { ok: false },
  { asked, isBareOrigin }: { readonly asked: URL; readonly isBareOrigin: boolean },
): Finding[] {
  const wasReached = fault.kind !== 'private' && fault.kind !== 'unreachable';
  const finding = wasReached && !isBareOrigin ? errorFinding : warningFinding;
  const { code, title, detail, fix } = textsOf(fault, { asked, last: url });
  return [finding(code, { title, detail: `${detail} Only the origin was checked.`, fix })];
}

/** Warns that only the start of the page was read. */
export function truncatedFinding(): Finding {
  return warningFinding('page_truncated', {
    title: 'The page is longer than 2 MiB.',
    detail: 'What comes after that was not checked.',
    fix: 'Run pulse-bff doctor with a shorter page that has the same card',
  });
}

type Texts = Pick<Finding, 'code' | 'title' | 'detail' | 'fix'>;

/** The page that was asked for, and the last address that was tried. */
interface Addresses {
  readonly asked: URL;
  readonly last: URL;
}

function textsOf(fault: PageFault, { asked, last }: Addresses): Texts {
  switch (fault.kind) {
    case 'private':
      return {
        code: 'page_private',
        title: `The page at ${last.origin} was not fetched: its address is private.`,
        detail: isLoopbackHost(last.hostname)
          ? 'Pages of this machine are fetched once PULSE_ALLOWED_ORIGINS names their origin.'
          : 'Pages of private addresses are fetched only for a person at a terminal who asks for it.',
        fix: `${commandFor(asked)} --allow-private`,
      };
    case 'unreachable':
      return {
        code: 'page_unreachable',
        title: `The page at ${last.origin} could not be fetched.`,
        ...LAYERS[fault.layer](last),
      };
    case 'redirects':
      return {
        code: 'page_redirects',
        title: 'The page redirects more than three times, or to something that is no web page.',
        detail: `The last address was ${last.origin}.`,
        fix: 'Run pulse-bff doctor with the address that a browser shows in the end',
      };
    case 'login':
      return {
        code: 'page_redirects',
        title: `The page redirects to ${addressOf(last)}, which has no card.`,
        detail: 'Most likely it wants a login.',
        fix: LET_IN,
      };
    case 'status':
      return {
        code: 'page_status',
        title: `The page at ${last.origin} answers ${fault.status}.`,
        ...statusTexts(fault.status, last),
      };
    default:
      return notHtml(fault.contentType);
  }
}

/** What is wrong between here and the page, and what to do about it. */
const LAYERS = {
  DNS: ({ hostname }) => ({
    detail: 'Its name could not be looked up from here (DNS).',
    fix: `Correct the name ${hostname}, or run pulse-bff doctor where it can be looked up`,
  }),
  TLS: (url) => ({
    detail: 'Its certificate is not valid, or it does not speak TLS on that port.',
    fix: `Renew the certificate; with an authority of your own: NODE_EXTRA_CA_CERTS=ca.pem ${commandFor(url)}`,
  }),
  connection: ({ origin }) => ({
    detail: 'There was no connection, or it was cut.',
    fix: `Start the server of ${origin}, or correct scheme and port of the address`,
  }),
  timeout: ({ origin }) => ({
    detail: 'It was not there within 10 seconds.',
    fix: `Let this machine through the firewall of ${origin}, or run pulse-bff doctor on another`,
  }),
  body: () => ({
    detail: 'Its Content-Encoding is unknown or broken.',
    fix: 'Send the page with the Content-Encoding that its bytes have: gzip, br, deflate or none',
  }),
} as const satisfies Record<string, (url: URL) => Pick<Texts, 'detail' | 'fix'>>;

/** Answers to a program that a person in a browser may not get. */
const REFUSALS = [401, 403, 407, 429];

function statusTexts(status: number, url: URL): Pick<Texts, 'detail' | 'fix'> {
  if (REFUSALS.includes(status)) return { detail: 'It wants a login, or refuses programs.', fix: LET_IN };
  const detail = 'A page with a card answers 200.';
  if (status >= 500) return { detail, fix: `Mend the page: the log of its server says why it answers ${status}` };
  if (status < 400) return { detail, fix: 'Answer 200 with the page' };
  return { detail, fix: `Open ${addressOf(url)} in a browser, and correct its address` };
}

const LET_IN = 'Answer the User-Agent "pulse-bff doctor" with the page, or check a copy that needs no login';

function notHtml(contentType: string): Texts {
  return {
    code: 'page_not_html',
    title: 'There is no HTML at this address.',
    detail: `Its type is ${contentType || 'unknown'}.`,
    fix: /^\s*(?:text\/plain\b|$)/i.test(contentType)
      ? 'Content-Type: text/html; charset=utf-8'
      : 'Run pulse-bff doctor with the address of the page that holds the card',
  };
}

function commandFor(page: URL): string {
  return `pulse-bff doctor ${addressOf(page)}`;
}

/** An address without its query, which may be secret. */
function addressOf({ origin, pathname }: URL): string {
  return origin + pathname;
}

/** Reports an `origin` whose pages may not show cards. */
export function originFindings(origin: string, rule: OriginPolicy, { allowedOrigins }: DoctorSettings): Finding[] {
  if (rule.check(origin) === 'allowed') return [];
  const listed = allowedOrigins === '*' ? [] : allowedOrigins;
  const near = closestMatch(origin, listed, { maxDistance: 5 });
  return [
    errorFinding('origin_not_allowed', {
      title: `${origin} is not in PULSE_ALLOWED_ORIGINS.`,
      detail: `The BFF refuses the requests of its pages.${near === undefined ? '' : ` ${near} is allowed; origins are compared exactly, with scheme, host and port.`} Restart the BFF after the change.`,
      fix: lineAllowing(origin, listed),
    }),
  ];
}

/** Reports hosts of charts that the BFF may not fetch from. */
export function imageHostFindings({ images, imageHosts }: DoctorSettings, { chartUrls }: SourceFacts): Finding[] {
  const refused = chartUrls.filter((url) => images === 'proxy' && allowedImageUrl(url, imageHosts) === undefined);
  const hosts = [...new Set(refused.flatMap((url) => (URL.canParse(url) ? new URL(url).host : [])))];
  const missing = hosts.filter((host) => !imageHosts.includes(host));
  if (missing.length === 0) return [];
  return [
    errorFinding('image_host_not_allowed', {
      title: `Charts come from ${missing.join(', ')}, which is not in PULSE_IMAGE_HOSTS.`,
      detail: 'The BFF does not fetch them, so that cards have no chart.',
      fix: `PULSE_IMAGE_HOSTS=${[...imageHosts, ...missing].join(',')}`,
    }),
  ];
}

/** Warns about a proxy that is not trusted. */
export function proxyTrustFindings({ sawUntrustedProxy }: Pick<DoctorContext, 'sawUntrustedProxy'>): Finding[] {
  if (sawUntrustedProxy !== true) return [];
  return [
    warningFinding('trust_proxy', {
      title: 'Requests reach the BFF through a proxy that TRUST_PROXY does not name.',
      detail:
        'All readers behind it share one rate limit. Set the number of proxies in front, or their address ranges.',
      fix: 'TRUST_PROXY=1',
    }),
  ];
}

/** Warns that the ids on the page could not be checked. */
export function sourceFindings({ isUnavailable }: SourceFacts): Finding[] {
  if (isUnavailable !== true) return [];
  return [
    warningFinding('sources_unchecked', {
      title: 'The sources of the account could not be read.',
      detail: 'Ids and charts of the page are not checked.',
      fix: 'pulse-bff check',
    }),
  ];
}
