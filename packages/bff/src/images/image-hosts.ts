import { isLoopbackHost, safeUrl } from '@pulse-card/contract';
import { isAllowedHost, placeOf } from '../addresses.ts';
import type { AppConfig } from '../config.ts';

type ServiceUrls = Pick<AppConfig, 'baseUrl' | 'altBaseUrl'>;

/**
 * Which addresses the BFF fetches charts from: those of `PULSE_IMAGE_HOSTS`; without it any public one by `https:` on its default
 * port, and those of the service.
 */
export class ImageHosts {
  readonly #hosts: readonly string[];
  readonly #serviceOrigins: ReadonlySet<string>;

  constructor({ imageHosts, ...urls }: ServiceUrls & Pick<AppConfig, 'imageHosts'>) {
    this.#hosts = imageHosts;
    this.#serviceOrigins = new Set(serviceUrls(urls).map(({ origin }) => origin));
  }

  /** The address of a chart; undefined if it may not be fetched. */
  allowed(imageUrl: string | null): URL | undefined {
    if (imageUrl === null || !URL.canParse(imageUrl)) return undefined;
    const url = new URL(imageUrl);
    if (this.#hosts.length === 0 && this.isService(url))
      return url.username === '' && url.password === '' ? url : undefined;
    const safe = safeUrl(imageUrl);
    return safe !== undefined && this.#isAllowed(new URL(safe)) ? new URL(safe) : undefined;
  }

  /** Returns whether the service itself serves this address, which may then be a private one. */
  isService({ origin }: URL): boolean {
    return this.#serviceOrigins.has(origin);
  }

  #isAllowed({ protocol, host, hostname, port, pathname }: URL): boolean {
    const isSecure = protocol === 'https:';
    if (this.#hosts.length === 0) return isSecure && port === '' && placeOf(hostname) === 'public';
    // As a relative reference, a path that begins with two slashes names another host.
    if (!this.#hosts.includes(host) || pathname.startsWith('//') || !isAllowedHost(hostname)) return false;
    return isSecure || isLoopbackHost(hostname);
  }
}

/** Makes the test whether readers' browsers may load a chart: from a loopback or private address only if the service has one, too. */
export function browserImageTest(urls: ServiceUrls): (imageUrl: string) => boolean {
  const places = new Set(['public', ...serviceUrls(urls).map(({ hostname }) => placeOf(hostname))]);
  return (imageUrl) => URL.canParse(imageUrl) && places.has(placeOf(new URL(imageUrl).hostname));
}

function serviceUrls({ baseUrl, altBaseUrl }: ServiceUrls): URL[] {
  return [baseUrl, ...(altBaseUrl === undefined ? [] : [altBaseUrl])].map((url) => new URL(url));
}
