import { canPolicyName } from '@pulse-card/contract';
import type { AppConfig } from '../../config/config.ts';
import type { ChartOrigin } from '../../http/public-fields.ts';

const REASON = 'a Content-Security-Policy cannot name an IPv6 address; use a host name';

type FrameConfig = Pick<AppConfig, 'allowedOrigins' | 'baseUrl' | 'altBaseUrl'>;

/**
 * Returns warnings about frames that browsers won't show, and about frames whose charts browsers won't show. They
 * contain no values.
 */
export function frameWarnings(config: FrameConfig, charts: ChartOrigin): string[] {
  return [...ancestorWarnings(config), ...chartWarnings(config, charts)];
}

/** Allowed origins whose pages can't show frames. */
function ancestorWarnings({ allowedOrigins: allowed }: FrameConfig): string[] {
  if (allowed === '*') return [];
  return allowed.flatMap((origin, at) =>
    canPolicyName(origin)
      ? []
      : [`PULSE_ALLOWED_ORIGINS: pages on the origin in item ${at + 1} cannot show frames: ${REASON}`],
  );
}

/**
 * Addresses from which frames can't load charts. The BFF's own charts are not affected, because the policy allows them
 * with `'self'`.
 */
function chartWarnings({ baseUrl: base, altBaseUrl: alt = base }: FrameConfig, { mode, hosts }: ChartOrigin): string[] {
  if (mode === 'proxy') return [];
  const isNamed = (url: string): boolean => canPolicyName(new URL(url).origin);
  const faulty = [
    ...(isNamed(base) ? [] : ['PULSE_BASE_URL']),
    ...(alt === base || isNamed(alt) ? [] : ['PULSE_ALT_BASE_URL']),
    ...(hosts.every((host) => isNamed(`https://${host}`)) ? [] : ['PULSE_IMAGE_HOSTS']),
  ];
  return faulty.map((name) => `${name}: frames cannot show charts from this address: ${REASON}`);
}
