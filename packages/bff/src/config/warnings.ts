import { canPolicyName } from '@pulse-card/contract';
import { isPlainHttp } from '../lib/ip-address.ts';
import type { Settings } from './variables.ts';

/** The addresses of the service to which the key would be sent unencrypted. */
export function plainHttpBases(settings: Partial<Settings>): { name: string; hostname: string }[] {
  return (['PULSE_BASE_URL', 'PULSE_ALT_BASE_URL'] as const).flatMap((name) => {
    const url = URL.parse(settings[name] ?? '');
    return url !== null && isPlainHttp(url) ? [{ name, hostname: url.hostname }] : [];
  });
}

/** Returns warnings about settings that are allowed but have a risk or a cost. They contain no values. */
export function settingsWarnings(settings: Settings): string[] {
  const plainHttp = plainHttpBases(settings).map(
    ({ name }) => `${name} uses http: (PULSE_ALLOW_HTTP_UPSTREAM), so anyone on the network can read the key`,
  );
  return [...plainHttp, ...ancestorWarnings(settings), ...chartWarnings(settings)];
}

const REASON = 'a Content-Security-Policy cannot name an IPv6 address; use a host name';

/** Allowed origins whose pages can't show frames. */
function ancestorWarnings({ PULSE_ALLOWED_ORIGINS: allowed }: Settings): string[] {
  if (allowed === '*') return [];
  return allowed.flatMap((origin, at) =>
    canPolicyName(origin) ? [] : [`PULSE_ALLOWED_ORIGINS: pages of item ${at + 1} cannot show frames: ${REASON}`],
  );
}

/**
 * Addresses from which frames can't load charts. Charts of the BFF itself are not affected, because the policy allows
 * them with `'self'`.
 */
function chartWarnings(settings: Settings): string[] {
  if (settings.PULSE_IMAGES === 'proxy') return [];
  const { PULSE_BASE_URL: base, PULSE_ALT_BASE_URL: alt = base, PULSE_IMAGE_HOSTS: hosts } = settings;
  const isNamed = (url: string): boolean => canPolicyName(new URL(url).origin);
  const faulty = [
    ...(isNamed(base) ? [] : ['PULSE_BASE_URL']),
    ...(alt === base || isNamed(alt) ? [] : ['PULSE_ALT_BASE_URL']),
    ...(hosts.every((host) => isNamed(`https://${host}`)) ? [] : ['PULSE_IMAGE_HOSTS']),
  ];
  return faulty.map((name) => `${name}: frames cannot show charts from this address: ${REASON}`);
}
