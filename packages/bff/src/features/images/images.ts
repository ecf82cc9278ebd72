import { createSecretKey, type KeyObject } from 'node:crypto';
import type { ReadPulse } from '@pulse-card/contract';
import { LRUCache } from 'lru-cache';
import type { Base } from '../../config.ts';
import type { Permission, PermissionCheck } from '../../http/access.ts';
import { ApiError } from '../../http/errors.ts';
import { queryOf } from '../../http/locals.ts';
import type { Key } from '../../upstream/key.ts';
import { chartHosts, type ChartRefusal } from './chart-hosts.ts';
import { createChartProxy, type FetchChart } from './chart-proxy.ts';
import { imageUrlSigner } from './image-url-signer.ts';
import { type ChartSize, pngSizeOf } from './png.ts';

/**
 * The maximum number of cached charts, and their maximum total size in bytes. Cached charts never expire, because a
 * run's chart never changes.
 */
const KEPT = { max: 1_000, maxSize: 32 * 1024 * 1024 };

/** How long a failure is cached. */
const FAILURE_TTL_MS = 5_000;

/** The purpose, which distinguishes these secrets from others that are derived from the same key. */
const PURPOSE = 'pulse-card addresses of charts 1';

/** The only route that signed URLs open. */
const IMAGE_ROUTE = '/v1/sources/:sourceId/image';

export interface ImagesParts extends Base {
  readonly key: Pick<Key, 'derive'>;
  /** @default fetches charts from their hosts */
  readonly fetchChart?: FetchChart;
}

/** Charts that this server fetches for readers, and the URLs from which readers load charts. */
export type Images = ReturnType<typeof openImages>;

export function openImages({ config, clock, log, key, ...parts }: ImagesParts) {
  const hosts = chartHosts(config);
  const { fetchChart = createChartProxy({ isService: hosts.isService, proxies: config.proxies }) } = parts;
  const charts = cacheOf(fetchChart, { clock, log });
  const isSigned = config.images === 'proxy' && config.access === 'token';
  const signer = isSigned ? imageUrlSigner(secretsOf(key), clock) : undefined;
  return {
    /** Signs URLs if charts are proxied and access requires tokens. When its period changes, so do response bodies. */
    signer,
    /** Where to fetch a chart. Throws an `ApiError` if its host isn't allowed. */
    hostUrlOf(imageUrl: string): URL {
      const url = hosts.allowed(imageUrl);
      if (url === undefined) throw new ApiError('upstream_invalid', { detail: 'chart host' });
      return url;
    },
    /** A run's chart. Rejects with an `ApiError`. */
    async read(run: string, url: URL): Promise<Buffer> {
      const chart = await charts.forceFetch(nameOf(run, url), { context: url });
      if (chart instanceof ApiError) throw chart;
      return chart;
    },
    /** The URL from which readers load a pulse's chart; null if the chart isn't shown. */
    urlOf(pulse: ReadPulse): string | null {
      const { imageUrl, sourceId, jobRunId } = pulse;
      if (hosts.whyRefused(pulse)) return null;
      if (imageUrl === null || config.images === 'direct') return imageUrl;
      const query = signer?.queryFor(sourceId, jobRunId) ?? `run=${encodeURIComponent(jobRunId)}`;
      return `${config.publicUrl}/v1/sources/${encodeURIComponent(sourceId)}/image?${query}`;
    },
    /** Lets signed URLs through, because an `<img>` can't send a token. `check` decides on all other requests. */
    orSigned(check: PermissionCheck): PermissionCheck {
      if (signer === undefined) return check;
      return async (req): Promise<Permission> => {
        const { path } = req.route as { readonly path: unknown };
        const query = queryOf(req);
        if (path !== IMAGE_ROUTE || !query.has('sig')) return check(req);
        const { sourceId } = req.params as { readonly sourceId: string };
        if (signer.isSigned(sourceId, query)) return { sources: new Set([sourceId]) };
        throw new ApiError('token_invalid', { detail: 'signed URL' });
      };
    },
    /** A chart's size; undefined if the chart hasn't been read yet. */
    sizeOf({ jobRunId, imageUrl }: ReadPulse): ChartSize | undefined {
      const url = hosts.allowed(imageUrl);
      const chart = url && charts.peek(nameOf(jobRunId, url));
      return chart instanceof Buffer ? pngSizeOf(chart) : undefined;
    },
    /** Counts the charts that readers don't get, by host, highest count first. */
    refused: (pulses: Iterable<ReadPulse>): (ChartRefusal & { readonly charts: number })[] => {
      const byHost = new Map<string, ChartRefusal & { readonly charts: number }>();
      for (const pulse of pulses) {
        const refusal = hosts.whyRefused(pulse);
        if (refusal) byHost.set(refusal.host, { ...refusal, charts: (byHost.get(refusal.host)?.charts ?? 0) + 1 });
      }
      return [...byHost.values()].toSorted((a, b) => b.charts - a.charts);
    },
  };
}

function cacheOf(fetchChart: FetchChart, { clock, log }: Pick<ImagesParts, 'clock' | 'log'>) {
  return new LRUCache<string, Buffer | ApiError, URL>({
    ...KEPT,
    sizeCalculation: (chart) => (chart instanceof ApiError ? 1 : chart.length),
    perf: clock,
    ttlResolution: 0,
    // A single fetch for all readers who are waiting. It continues even if they leave.
    ignoreFetchAbort: true,
    fetchMethod: async (_name, _old, { context: url, options }) => {
      const chart = await fetchChart(url);
      if (chart instanceof ApiError) {
        options.ttl = FAILURE_TTL_MS;
        log.warn(`Can’t show a chart from ${url.host}: ${chart.details.detail}`, `${url.host} ${chart.code}`);
      }
      return chart;
    },
  });
}

/**
 * The secrets that sign URLs, derived from the key in use and the previous key. Instances with the same key derive the
 * same secrets.
 */
function secretsOf(key: ImagesParts['key']): () => readonly [KeyObject, ...KeyObject[]] {
  const secretNow = (): KeyObject => createSecretKey(key.derive(PURPOSE));
  let secrets: readonly [KeyObject, ...KeyObject[]] = [secretNow()];
  return () => {
    const secret = secretNow();
    if (!secret.equals(secrets[0])) secrets = [secret, secrets[0]];
    return secrets;
  };
}

function nameOf(run: string, { href }: URL): string {
  return `${run} ${href}`;
}
