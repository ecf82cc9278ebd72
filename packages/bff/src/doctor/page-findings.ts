import { closestMatch } from 'leven';
import { lineAllowing, type OriginPolicy } from '../auth/origin-policy.ts';
import { allowedImageUrl } from '../auth/ssrf-safe-lookup.ts';
import type { PageFault, PageResult } from './fetch-page.ts';
import { errorFinding, type Finding, warningFinding } from './finding.ts';
import type { DoctorContext, DoctorSettings, SourceFacts } from './page-context.ts';

/** Explains why the page could not be read. This is a warning if the page was not reached, or if only an origin was given. */
export function pageFaultFindings(
  { fault, url }: PageResult & { ok: false },
  { isBareOrigin }: { readonly isBareOrigin: boolean },
): Finding[] {
  const wasReached = fault.kind !== 'private' && fault.kind !== 'unreachable';
  const finding = wasReached && !isBareOrigin ? errorFinding : warningFinding;
  const { code, title, detail, fix } = textsOf(fault, url);
  return [finding(code, { title, detail: `${detail} Only the origin was checked.`, fix })];
}

/** Warns that only the start of the page was read. */
export function truncatedFinding(): Finding {
  return warningFinding('page_truncated', {
    title: 'The page is longer than 2 MiB.',
    detail: 'What comes after that was not checked.',
    fix: 'pulse-bff doctor URL of a shorter page with the same card',
  });
}

const LAYERS = {
  DNS: 'Its name could not be looked up from here (DNS).',
  TLS: 'Its certificate is not valid, or it does not speak TLS on that port.',
  connection: 'There was no connection, or it was cut.',
  timeout: 'It was not there within 10 seconds.',
  body: 'Its content encoding is unknown or broken.',
} as const;

function textsOf(fault: PageFault, { origin, pathname }: URL): Pick<Finding, 'code' | 'title' | 'detail' | 'fix'> {
  const again = `pulse-bff doctor ${origin}${pathname}`;
  switch (fault.kind) {
    case 'private':
      return {
        code: 'page_private',
        title: `${origin} is not on the public internet, so its page was not fetched.`,
        detail: 'A person at a terminal may allow it.',
        fix: `${again} --allow-private`,
      };
    case 'unreachable':
      return {
        code: 'page_unreachable',
        title: `The page at ${origin} could not be fetched.`,
        detail: LAYERS[fault.layer],
        fix: again,
      };
    case 'redirects':
      return {
        code: 'page_redirects',
        title: 'The page redirects more than three times, or to something that is no web page.',
        detail: `The last address was ${origin}.`,
        fix: 'pulse-bff doctor URL of the page that browsers end at',
      };
    case 'status':
      return {
        code: 'page_status',
        title: `The page at ${origin} answers ${fault.status}.`,
        detail:
          fault.status === 401 || fault.status === 403
            ? 'It wants a login, or refuses programs.'
            : 'A page with a card answers 200.',
        fix: again,
      };
    default:
      return {
        code: 'page_not_html',
        title: 'There is no HTML at this address.',
        detail: `Its type is ${fault.contentType || 'unknown'}.`,
        fix: 'Content-Type: text/html; charset=utf-8',
      };
  }
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
