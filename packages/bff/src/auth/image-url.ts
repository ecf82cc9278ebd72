import { isLoopbackHost, safeUrl } from '@pulse-card/contract';

/**
 * The address of a chart that the BFF may fetch, or undefined: `https:` on a host that the operator named, exactly and on its
 * port; `http:` only where the operator named a loopback host.
 */
export function allowedImageUrl(raw: string | null, hosts: readonly string[]): URL | undefined {
  const safe = raw === null ? undefined : safeUrl(raw);
  if (safe === undefined) return undefined;
  const url = new URL(safe);
  if (!hosts.includes(url.host)) return undefined;
  // A path that begins with two slashes names another host to whoever reads it as a reference.
  if (url.pathname.startsWith('//')) return undefined;
  return url.protocol === 'https:' || isLoopbackHost(url.hostname) ? url : undefined;
}
