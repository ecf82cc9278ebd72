import type {
  AnswerMeta,
  ExposableField,
  PublicPulse,
  PublicSource,
  PublicSourceFacts,
  PulseAnswer,
  ReadPulse,
  ReadSource,
  Rhythm,
} from '@pulse-card/contract';
import type { SourceSnapshot } from '../pulses/pulses.ts';

/** The settings that determine which fields readers see. */
export interface FieldRules {
  /** The fields that `PULSE_EXPOSE` adds. */
  readonly expose: ReadonlySet<ExposableField>;
  /** `urlOf`: where readers load a chart from; null if it isn't shown. */
  readonly images: { urlOf(pulse: ReadPulse): string | null };
  readonly history: { rhythmOf(sourceId: string): Rhythm };
  /** The runs whose AI-generated text is withheld. */
  readonly withheld: { has(run: string): boolean } | undefined;
}

/** A snapshot that has a pulse. */
export type SnapshotWithPulse = SourceSnapshot & { readonly pulse: ReadPulse };

/** Converts the service's data into the data for readers. Readers get only the fields named here. */
export class PublicFields {
  readonly #rules: FieldRules;

  constructor(rules: FieldRules) {
    this.#rules = rules;
  }

  /** The response for a source that has a pulse. */
  answer(snapshot: SnapshotWithPulse, isStale: boolean): PulseAnswer {
    const source = { ...this.sourceFacts(snapshot), rhythm: this.#rules.history.rhythmOf(snapshot.sourceId) };
    return { meta: metaOf(snapshot.requestedAtMs, isStale), pulse: this.pulse(snapshot.pulse), source };
  }

  pulse(pulse: ReadPulse): PublicPulse {
    const { expose, images } = this.#rules;
    const withheld = this.#rules.withheld?.has(pulse.jobRunId) ?? false;
    return {
      jobRunId: pulse.jobRunId,
      sourceId: pulse.sourceId,
      sourceName: pulse.sourceName,
      status: pulse.status,
      completedAt: pulse.completedAt,
      imageUrl: images.urlOf(pulse),
      aiSummaryShort: withheld ? null : pulse.aiSummaryShort,
      aiSummaryLong: withheld ? null : pulse.aiSummaryLong,
      ...(withheld && { withheld }),
      ...(expose.has('deliveryLink') && { deliveryLink: pulse.deliveryLink }),
      ...(expose.has('organization') && {
        organizationId: pulse.organizationId,
        organizationName: pulse.organizationName,
        organizationSlug: pulse.organizationSlug,
      }),
    };
  }

  /** The source of a pulse. If it isn't in the list, only the name in the pulse is known. */
  sourceFacts({ source, pulse }: SourceSnapshot): PublicSourceFacts {
    return {
      status: source?.status ?? null,
      provider: source?.provider ?? null,
      name: source?.name ?? pulse?.sourceName ?? null,
      ...this.#exposedFacts(source),
    };
  }

  /** A row in the list. */
  source(row: ReadSource): PublicSource {
    const { id, status, provider, name } = row;
    return { id, status, provider, name, ...this.#exposedFacts(row) };
  }

  #exposedFacts(source: ReadSource | null) {
    const { expose } = this.#rules;
    return {
      ...(expose.has('link') && { link: source?.link ?? null }),
      ...(expose.has('connectionCount') && { connectionCount: source?.connectionCount ?? null }),
    };
  }
}

/** The `meta` of a response. Its `stale` field tells readers that the pulse is stale. */
export function metaOf(requestedAtMs: number, isStale: boolean): AnswerMeta {
  return { requestedAt: new Date(requestedAtMs).toISOString(), stale: isStale };
}
