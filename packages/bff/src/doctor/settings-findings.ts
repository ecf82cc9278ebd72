import { allowedImageUrl } from '../auth/ssrf-safe-lookup.ts';
import { errorFinding, type Finding, warningFinding } from './finding.ts';
import type { DoctorContext, DoctorSettings, SourceFacts } from './page-context.ts';
import type { OriginPolicy } from '../auth/origin-policy.ts';
import { closestMatch } from 'leven';

/** Reports an `origin` whose pages may not show cards. */
export function originFindings(origin: string, rule: OriginPolicy, { allowedOrigins }: DoctorSettings): Finding[] {
  if (rule.check(origin) === 'allowed') return [];
  const listed = allowedOrigins === '*' ? [] : allowedOrigins;
  const near = closestMatch(origin, listed, { maxDistance: 5 });
  return [
    errorFinding('origin_not_allowed', {
      title: `${origin} is not in PULSE_ALLOWED_ORIGINS.`,
      detail: `The BFF refuses the requests of its pages.${near === undefined ? '' : ` ${near} is allowed; origins are compared exactly, with scheme, host and port.`} Restart the BFF after the change.`,
      fix: `PULSE_ALLOWED_ORIGINS=${[...listed, origin].join(',')}`,
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
