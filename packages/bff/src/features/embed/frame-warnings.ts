import { canPolicyName } from '@pulse-card/contract';
import type { Config } from '../../config.ts';

const REASON = 'a Content-Security-Policy can’t name an IPv6 address; use a host name';

/** Warnings about frames, or charts in frames, that browsers won't show. They contain no values. */
export function frameWarnings({ allowedOrigins, baseUrl, altBaseUrl, images, imageHosts }: Config): string[] {
  const origins = allowedOrigins === '*' ? [] : allowedOrigins;
  const noFrames = origins.flatMap((origin, at) =>
    canPolicyName(origin)
      ? []
      : [`PULSE_ALLOWED_ORIGINS: pages on the origin in item ${at + 1} can’t show frames: ${REASON}`],
  );
  // The BFF's own charts are allowed by `'self'`.
  if (images === 'proxy') return noFrames;
  const isNamed = (url: string): boolean => canPolicyName(new URL(url).origin);
  const faulty = [
    ...(isNamed(baseUrl) ? [] : ['PULSE_BASE_URL']),
    ...(altBaseUrl === undefined || isNamed(altBaseUrl) ? [] : ['PULSE_ALT_BASE_URL']),
    ...(imageHosts.every((host) => isNamed(`https://${host}`)) ? [] : ['PULSE_IMAGE_HOSTS']),
  ];
  return [...noFrames, ...faulty.map((name) => `${name}: frames can’t show charts from this URL: ${REASON}`)];
}
