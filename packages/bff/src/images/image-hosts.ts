import { safeUrl } from '@pulse-card/contract';
import { allowedImageUrl, placeOf } from '../addresses.ts';
import type { AppConfig } from '../config.ts';

/**
 * Which addresses the BFF fetches charts from: those of `PULSE_IMAGE_HOSTS`; without it any public one by `https:` on its default
 * port, and those of the service.
 */
export class ImageHosts {
  readonly #hosts: readonly string[];
  readonly #serviceOrigins: ReadonlySet<string>;

  constructor({ imageHosts, baseUrl, altBaseUrl }: Pick<AppConfig, 'imageHosts' | 'baseUrl' | 'altBaseUrl'>) {
    this.#hosts = imageHosts;
    const serviceUrls = altBaseUrl === undefined ? [baseUrl] : [baseUrl, altBaseUrl];
    this.#serviceOrigins = new Set(serviceUrls.map((url) => new URL(url).origin));
  }

  /** The address of a chart, or undefined where it may not be fetched. */
  allowed(imageUrl: string | null): URL | undefined {
    if (this.#hosts.length > 0) return allowedImageUrl(imageUrl, this.#hosts);
    if (imageUrl === null || !URL.canParse(imageUrl)) return undefined;
    if (this.isService(new URL(imageUrl))) return withoutUser(new URL(imageUrl));
    const safe = safeUrl(imageUrl);
    const url = safe === undefined ? undefined : new URL(safe);
    return url?.protocol === 'https:' && url.port === '' && placeOf(url.hostname) === 'public' ? url : undefined;
  }

  /** Returns whether the service itself serves this address, which may then be a private one. */
  isService({ origin }: URL): boolean {
    return this.#serviceOrigins.has(origin);
  }
}

function withoutUser(url: URL): URL | undefined {
  return url.username === '' && url.password === '' ? url : undefined;
}
