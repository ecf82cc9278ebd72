import { isLoopbackHost, type ReadPulse, safeUrl } from '@pulse-card/contract';
import type { Config } from '../../config.ts';
import { originsOf, placeOf } from '../../lib/ip-address.ts';
import { proxyFor } from '../../lib/outgoing.ts';

/** Why readers don't get a chart. */
export interface ChartRefusal {
  /** The host with its port; `none` if the URL has no host. */
  readonly host: string;
  readonly reason: 'http' | 'not-listed' | 'not-public' | 'behind-proxy';
}

/** Determines which charts readers get and from where. */
export function chartHosts(config: Config) {
  const { baseUrl, altBaseUrl = baseUrl, imageHosts } = config;
  const isListed = imageHosts.length > 0;
  const serviceOrigins = new Set([baseUrl, altBaseUrl].flatMap(originsOf));
  /** The kinds of hosts that readers' browsers may load charts from in direct mode. */
  const places = new Set(['public', ...[baseUrl, altBaseUrl].map((url) => placeOf(new URL(url).hostname))]);
  const isService = ({ origin }: URL): boolean => serviceOrigins.has(origin);

  const refusalOf = (imageUrl: string, mode: Config['images']): ChartRefusal['reason'] | undefined => {
    const url = URL.parse(imageUrl);
    if (url === null) return 'not-public';
    const place = placeOf(url.hostname);
    const hasUser = url.username !== '' || url.password !== '';
    // The BFF fetches the service's charts just as it calls the service, which may be over http: on a private network.
    const isOwn = mode === 'proxy' && isService(url) && !hasUser;
    if (!isOwn && safeUrl(imageUrl) === undefined) return url.protocol === 'http:' ? 'http' : 'not-public';
    if (isListed && !imageHosts.includes(url.host)) return 'not-listed';
    if (isOwn) return undefined;
    const isNear = mode === 'direct' ? places.has(place) : isListed && isLoopbackHost(url.hostname);
    // If no hosts are listed, public hosts other than the service's are allowed only on port 443.
    const isUsual = isListed || url.port === '' || place !== 'public' || isService(url);
    if ((place !== 'public' && !isNear) || !isUsual) return 'not-public';
    // An outgoing proxy resolves names itself, so no one checks the IP address.
    return mode === 'proxy' && !isListed && proxyFor(url, config.proxies) ? 'behind-proxy' : undefined;
  };

  return {
    /** Whether the service itself serves this URL. The URL may be private. */
    isService,
    /** The URL to fetch a chart from. Undefined if the BFF isn't allowed to fetch it. */
    allowed: (imageUrl: string | null): URL | undefined =>
      imageUrl === null || refusalOf(imageUrl, 'proxy') ? undefined : new URL(imageUrl),
    /** Why readers don't get a pulse's chart. Undefined if they do or if the pulse has no chart. */
    whyRefused: ({ imageUrl }: Pick<ReadPulse, 'imageUrl'>): ChartRefusal | undefined => {
      const reason = imageUrl === null ? undefined : refusalOf(imageUrl, config.images);
      return reason && { host: URL.parse(imageUrl ?? '')?.host || 'none', reason };
    },
  };
}
