import { isLoopbackHost, safeUrl } from '@pulse-card/contract';
import { originsOf, placeOf } from '../../lib/ip-address.ts';
import type { AppConfig } from '../../config/config.ts';
import type { ImageSettings } from './variables.ts';

/** The host of a chart whose address is not allowed, and the reason. */
export interface ChartRefusal {
  /** The host with its port; `none` if the address has no host. */
  readonly host: string;
  readonly reason: 'http' | 'not-listed' | 'not-public';
}

/**
 * Decides which addresses the BFF may fetch charts from: those of the hosts in `PULSE_IMAGE_HOSTS`. If the variable
 * isn't set, these are all public `https:` addresses on the default port, and the service's own addresses.
 */
export class ImageHosts {
  readonly #hosts: readonly string[];
  readonly #serviceOrigins: ReadonlySet<string>;

  constructor(
    { baseUrl, altBaseUrl }: Pick<AppConfig, 'baseUrl' | 'altBaseUrl'>,
    { PULSE_IMAGE_HOSTS: hosts }: Pick<ImageSettings, 'PULSE_IMAGE_HOSTS'>,
  ) {
    this.#hosts = hosts;
    this.#serviceOrigins = new Set([baseUrl, altBaseUrl ?? baseUrl].flatMap(originsOf));
  }

  /** The address of a chart; undefined if the chart may not be fetched. */
  allowed(imageUrl: string | null): URL | undefined {
    if (imageUrl === null || !URL.canParse(imageUrl)) return undefined;
    const url = new URL(imageUrl);
    if (this.isService(url) && (this.#hosts.length === 0 || this.#hosts.includes(url.host)))
      return url.username === '' && url.password === '' ? url : undefined;
    const safe = safeUrl(imageUrl);
    return safe !== undefined && this.#isAllowed(new URL(safe)) ? new URL(safe) : undefined;
  }

  /** Returns why a chart at this address isn't shown. */
  refusalOf(imageUrl: string): ChartRefusal {
    const { protocol, host } = new URL(imageUrl);
    if (protocol === 'http:') return { host, reason: 'http' };
    const isListed = this.#hosts.length === 0 || this.#hosts.includes(host);
    return { host: host || 'none', reason: isListed ? 'not-public' : 'not-listed' };
  }

  /** Returns whether the service itself serves this address. Such an address may be private. */
  isService({ origin }: URL): boolean {
    return this.#serviceOrigins.has(origin);
  }

  #isAllowed({ protocol, host, hostname, port, pathname }: URL): boolean {
    const isPublic = protocol === 'https:' && placeOf(hostname) === 'public';
    if (this.#hosts.length === 0) return isPublic && port === '';
    // A path that begins with two slashes would name another host if it were resolved as a relative reference.
    if (!this.#hosts.includes(host) || pathname.startsWith('//')) return false;
    return isPublic || isLoopbackHost(hostname);
  }
}
