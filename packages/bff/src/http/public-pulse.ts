import type {
  AnswerMeta,
  ExposableField,
  PublicPulse,
  PublicSource,
  PublicSourceFacts,
  PulseAnswer,
  ReadPulse,
  ReadSource,
} from '@pulse-card/contract';
import type { SourceSnapshot } from '../cache/entries.ts';
import type { AppConfig } from '../config/config.ts';
import type { ChartRefusal, ImageHosts } from '../features/images/image-hosts.ts';
import type { ImageUrlSigner } from '../features/images/image-url-signer.ts';

/** Which fields readers get, and the addresses of charts. */
export interface FieldPolicy {
  readonly expose: ReadonlySet<ExposableField>;
  /** Gives the address that readers load a pulse's chart from. */
  readonly imageUrlOf: (pulse: ReadPulse) => string | null;
  /** A number that changes whenever those addresses do. @default they stay */
  readonly imagePeriod?: () => number;
}

/**
 * Makes the policy of a configuration. `imageUrlSigner` signs the addresses of charts where they must stand for a token; a chart
 * that the BFF would not fetch has none.
 */
export function fieldPolicyOf(
  { expose, images, publicUrl }: AppConfig,
  hosts: ImageHosts,
  imageUrlSigner: ImageUrlSigner | undefined,
): FieldPolicy {
  const directUrl = ({ imageUrl }: ReadPulse) => (imageUrl !== null && hosts.isForBrowsers(imageUrl) ? imageUrl : null);
  const ownUrl = ({ imageUrl, sourceId, jobRunId }: ReadPulse) => {
    if (hosts.allowed(imageUrl) === undefined) return null;
    const query = imageUrlSigner?.queryFor(sourceId, jobRunId) ?? `run=${encodeURIComponent(jobRunId)}`;
    return `${publicUrl}/v1/sources/${encodeURIComponent(sourceId)}/image?${query}`;
  };
  return {
    expose,
    imageUrlOf: images === 'direct' ? directUrl : ownUrl,
    ...(imageUrlSigner && { imagePeriod: () => imageUrlSigner.period() }),
  };
}

/** Why readers don't get the chart of a pulse; undefined if they do, or if it has none. */
export function chartRefusalOf(
  pulse: ReadPulse,
  { imageUrlOf }: Pick<FieldPolicy, 'imageUrlOf'>,
  hosts: ImageHosts,
): ChartRefusal | undefined {
  return pulse.imageUrl !== null && imageUrlOf(pulse) === null ? hosts.refusalOf(pulse.imageUrl) : undefined;
}

/** The answer about a source with a pulse. */
export function publicAnswer(snapshot: SourceSnapshot, stale: boolean, fieldPolicy: FieldPolicy): PulseAnswer {
  if (snapshot.pulse === null) throw new TypeError('Cannot make an answer: the snapshot has no pulse');
  return {
    meta: answerMeta(snapshot.requestedAtMs, stale),
    pulse: publicPulse(snapshot.pulse, fieldPolicy),
    source: publicSourceFacts(snapshot, fieldPolicy),
  };
}

/** The `meta` of a response. */
export function answerMeta(requestedAtMs: number, stale: boolean): AnswerMeta {
  return { requestedAt: new Date(requestedAtMs).toISOString(), stale };
}

/** A pulse as readers see it. Each field is named here; what is not named can't leave. */
export function publicPulse(pulse: ReadPulse, { expose, imageUrlOf }: FieldPolicy): PublicPulse {
  return {
    jobRunId: pulse.jobRunId,
    sourceId: pulse.sourceId,
    sourceName: pulse.sourceName,
    status: pulse.status,
    completedAt: pulse.completedAt,
    imageUrl: imageUrlOf(pulse),
    aiSummaryShort: pulse.aiSummaryShort,
    aiSummaryLong: pulse.aiSummaryLong,
    ...(expose.has('deliveryLink') && { deliveryLink: pulse.deliveryLink }),
    ...(expose.has('organization') && organizationOf(pulse)),
  };
}

/** The source beside its pulse: null where the list does not show it, but for the name that the pulse remembers. */
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
