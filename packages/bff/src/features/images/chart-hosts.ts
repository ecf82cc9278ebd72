import { isLoopbackHost, type ReadPulse, safeUrl } from '@pulse-card/contract';
import type { Config } from '../../config.ts';
import { originsOf, placeOf } from '../../lib/ip-address.ts';

/** Why readers don't get a chart. */
export interface ChartRefusal {
  /** The host with its port; `none` if the URL has no host. */
  readonly host: string;
  readonly reason: 'http' | 'not-listed' | 'not-public' | 'behind-proxy';
}

/** Determines which charts readers get and from where. */
export class ChartHosts {
  readonly #config: Config;
  readonly #serviceOrigins: ReadonlySet<string>;
  /** The kinds of hosts that readers' browsers may load charts from in direct mode. */
  readonly #places: ReadonlySet<string>;
  /** Whether a chart at this URL would be fetched through an outgoing proxy, which resolves names itself. */
  readonly #usesProxy: (url: URL) => boolean;

  constructor(config: Config, usesProxy: (url: URL) => boolean) {
    const { baseUrl, altBaseUrl = baseUrl } = config;
    this.#config = config;
    this.#serviceOrigins = new Set([baseUrl, altBaseUrl].flatMap(originsOf));
    this.#places = new Set(['public', ...[baseUrl, altBaseUrl].map((url) => placeOf(new URL(url).hostname))]);
    this.#usesProxy = usesProxy;
  }

  /** The URL to fetch a chart from. Undefined if the BFF isn't allowed to fetch it. */
  allowed(imageUrl: string | null): URL | undefined {
    if (imageUrl === null || !URL.canParse(imageUrl)) return undefined;
    const url = new URL(imageUrl);
    if (this.isService(url)) {
      const isAllowed = this.#isAllowedHost(url);
      return isAllowed && url.username === '' && url.password === '' ? url : undefined;
    }
    const safe = safeUrl(imageUrl);
    return safe !== undefined && this.#mayFetch(new URL(safe)) ? new URL(safe) : undefined;
  }

  /** The chart's own URL, if readers' browsers may load it in direct mode; otherwise null. */
  directUrl({ imageUrl }: Pick<ReadPulse, 'imageUrl'>): string | null {
    if (imageUrl === null || safeUrl(imageUrl) === undefined) return null;
    const url = new URL(imageUrl);
    return this.#isAllowedHost(url) && this.#places.has(placeOf(url.hostname)) ? imageUrl : null;
  }

  /** Why readers don't get a pulse's chart. Undefined if they do or if the pulse has no chart. */
  whyRefused(pulse: Pick<ReadPulse, 'imageUrl'>): ChartRefusal | undefined {
    const { imageUrl } = pulse;
    if (imageUrl === null) return undefined;
    const isShown =
      this.#config.images === 'proxy' ? this.allowed(imageUrl) !== undefined : this.directUrl(pulse) !== null;
    if (isShown) return undefined;
    const url = new URL(imageUrl);
    return { host: url.host || 'none', reason: this.#reasonFor(url) };
  }

  /** Whether the service itself serves this URL. The URL may be private. */
  isService({ origin }: URL): boolean {
    return this.#serviceOrigins.has(origin);
  }

  #reasonFor(url: URL): ChartRefusal['reason'] {
    if (url.protocol === 'http:') return 'http';
    if (this.#config.imageHosts.length > 0 && !this.#isAllowedHost(url)) return 'not-listed';
    return this.#config.imageHosts.length === 0 && this.#usesProxy(url) ? 'behind-proxy' : 'not-public';
  }

  /**
   * Whether the host is listed. If no hosts are listed, public hosts other than the service's are allowed only on port
   * 443.
   */
  #isAllowedHost(url: URL): boolean {
    const { imageHosts } = this.#config;
    if (imageHosts.length > 0) return imageHosts.includes(url.host);
    return url.port === '' || placeOf(url.hostname) !== 'public' || this.isService(url);
  }

  #mayFetch(url: URL): boolean {
    const { protocol, hostname } = url;
    if (!this.#isAllowedHost(url)) return false;
    const isPublic = protocol === 'https:' && placeOf(hostname) === 'public';
    if (this.#config.imageHosts.length === 0) return isPublic && !this.#usesProxy(url);
    return isPublic || isLoopbackHost(hostname);
  }
}
