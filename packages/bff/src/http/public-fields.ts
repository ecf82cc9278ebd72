import {
  type AnswerMeta,
  type ExposableField,
  type PublicPulse,
  type PublicSource,
  type PublicSourceFacts,
  type PulseAnswer,
  type ReadPulse,
  type ReadSource,
  safeUrl,
} from '@pulse-card/contract';
import type { SourceSnapshot } from '../cache/entries.ts';
import type { AppConfig } from '../config/config.ts';
import { placeOf } from '../lib/ip-address.ts';
import type { Target } from './target.ts';

/** Verifies signed addresses, which are needed because an element such as `<img>` can't send a token. */
export interface SignedUrls {
  /** The source that a signed address is for; undefined if the address has no signature. */
  readonly sourceIdOf: (target: Target) => string | undefined;
  /** Returns whether the signature in `query` allows this source now. */
  readonly isSigned: (sourceId: string, query: string) => boolean;
}

/** Where charts come from. */
export interface ChartOrigin {
  /** `direct`: readers load charts from the address that the service returns. `proxy`: from this server. */
  readonly mode: 'direct' | 'proxy';
  /** The only hosts that charts may come from. If the list is empty, any public host is allowed. */
  readonly hosts: readonly string[];
}

/** The origin of charts if no feature provides `ChartUrls`. */
export const DIRECT: ChartOrigin = { mode: 'direct', hosts: [] };

/** Where readers load charts from. */
export interface ChartUrls extends ChartOrigin {
  /** Returns the URL from which readers load a pulse's chart. */
  readonly urlOf: (pulse: ReadPulse) => string | null;
  /** A number that changes whenever the addresses change. @default they never change */
  readonly period?: () => number;
  /** Verifies addresses that have a signature instead of a token. @default no address is signed */
  readonly signed?: SignedUrls;
}

/** Decides which fields readers get, and where they load charts from. */
export interface FieldPolicy {
  readonly expose: ReadonlySet<ExposableField>;
  readonly charts: Pick<ChartUrls, 'urlOf' | 'period'>;
}

/**
 * Creates the function that returns the service's address of a chart; null if readers' browsers may not load this
 * address. A loopback or private address is allowed only if the service also has such an address. If `hosts` lists any
 * host, no other host is allowed.
 */
export function directChartUrl(
  { baseUrl, altBaseUrl = baseUrl }: Pick<AppConfig, 'baseUrl' | 'altBaseUrl'>,
  hosts: readonly string[] = [],
) {
  const places = new Set(['public', ...[baseUrl, altBaseUrl].map((url) => placeOf(new URL(url).hostname))]);
  return ({ imageUrl }: Pick<ReadPulse, 'imageUrl'>): string | null => {
    if (imageUrl === null || safeUrl(imageUrl) === undefined) return null;
    const { host, hostname } = new URL(imageUrl);
    const isListed = hosts.length === 0 || hosts.includes(host);
    return isListed && places.has(placeOf(hostname)) ? imageUrl : null;
  };
}

/** The answer for a source that has a pulse. */
export function publicAnswer(
  snapshot: SourceSnapshot,
  isEarlierVersion: boolean,
  fieldPolicy: FieldPolicy,
): PulseAnswer {
  if (snapshot.pulse === null) throw new TypeError('Cannot build a response: the snapshot has no pulse');
  return {
    meta: answerMeta(snapshot.requestedAtMs, isEarlierVersion),
    pulse: publicPulse(snapshot.pulse, fieldPolicy),
    source: publicSourceFacts(snapshot, fieldPolicy),
  };
}

/** The `meta` of a response. Its `stale` tells readers that the answer is an earlier version. */
export function answerMeta(requestedAtMs: number, isEarlierVersion: boolean): AnswerMeta {
  return { requestedAt: new Date(requestedAtMs).toISOString(), stale: isEarlierVersion };
}

/** A pulse as readers see it. Readers get only the fields that are named here. */
export function publicPulse(pulse: ReadPulse, { expose, charts }: FieldPolicy): PublicPulse {
  return {
    jobRunId: pulse.jobRunId,
    sourceId: pulse.sourceId,
    sourceName: pulse.sourceName,
    status: pulse.status,
    completedAt: pulse.completedAt,
    imageUrl: charts.urlOf(pulse),
    aiSummaryShort: pulse.aiSummaryShort,
    aiSummaryLong: pulse.aiSummaryLong,
    ...(expose.has('deliveryLink') && { deliveryLink: pulse.deliveryLink }),
    ...(expose.has('organization') && organizationOf(pulse)),
  };
}

/**
 * The source of a pulse, as readers see it. If the source isn't on the list, its fields are null, except for the name,
 * which the pulse contains.
 */
export function publicSourceFacts({ source, pulse }: SourceSnapshot, { expose }: FieldPolicy): PublicSourceFacts {
  return {
    status: source?.status ?? null,
    provider: source?.provider ?? null,
    name: source?.name ?? pulse?.sourceName ?? null,
    ...(expose.has('link') && { link: source?.link ?? null }),
    ...(expose.has('connectionCount') && { connectionCount: source?.connectionCount ?? null }),
    ...(expose.has('organization') && organizationOf(source)),
  };
}

/** A row of the list as readers see it. */
export function publicSource(source: ReadSource, { expose }: FieldPolicy): PublicSource {
  return {
    id: source.id,
    status: source.status,
    provider: source.provider,
    name: source.name,
    ...(expose.has('link') && { link: source.link }),
    ...(expose.has('connectionCount') && { connectionCount: source.connectionCount }),
    ...(expose.has('organization') && organizationOf(source)),
  };
}

function organizationOf(
  owned: ReadPulse | ReadSource | null,
): Pick<PublicSourceFacts, 'organizationId' | 'organizationName' | 'organizationSlug'> {
  return {
    organizationId: owned?.organizationId ?? null,
    organizationName: owned?.organizationName ?? null,
    organizationSlug: owned?.organizationSlug ?? null,
  };
}
