import type { ReadSource } from '@pulse-card/contract';
import type { AccessGrant } from '../../auth/token-verifier.ts';
import type { PulseCache, SourceList } from '../../cache/port.ts';
import { sendCached } from '../response-headers.ts';
import type { FreshnessPolicy } from '../../cache/freshness.ts';
import type { RequestContext } from '../request-context.ts';
import { Representation, JSON_TYPE, answerMeta } from '../representation.ts';
import { type FieldPolicy, publicSource } from '../public-pulse.ts';
import { sendError } from '../send-error.ts';

/** The route of the list, as log and metrics name it. */
export const SOURCES_ROUTE = '/v1/sources';

/** What the list's route needs. */
export interface SourcesRouteOptions {
  readonly cache: PulseCache;
  readonly responses: SourceListResponseCache;
  readonly freshnessPolicy: FreshnessPolicy;
}

/** Answers with the list of sources, or with those of one provider, as far as the reader may see them. */
export async function sendSources(
  context: RequestContext,
  { cache, responses, freshnessPolicy }: SourcesRouteOptions,
): Promise<void> {
  context.route = SOURCES_ROUTE;
  const lookup = await cache.getOrFetchSources();
  if (!lookup.ok) return sendError(context, lookup.code, { retryAfterSeconds: lookup.retryAfterSeconds });
  const { value: list, stale } = lookup;
  const provider = new URLSearchParams(context.query).get('provider')?.toUpperCase();
  sendCached(context, responses.answer(list, stale, provider, context.accessGrant), lookup, freshnessPolicy);
}

/** The bodies of lists: made once for each list, condition and choice of sources, and gone with the list. */
export class SourceListResponseCache {
  readonly #fieldPolicy: FieldPolicy;
  readonly #made = new WeakMap<SourceList, Map<string, Representation>>();

  constructor(fieldPolicy: FieldPolicy) {
    this.#fieldPolicy = fieldPolicy;
  }

  /** The answer with all sources, or with those of `provider` (upper case), that `permit` covers. */
  answer(list: SourceList, stale: boolean, provider: string | undefined, accessGrant: AccessGrant): Representation {
    const visible = list.sources.filter(
      (source) => (provider === undefined || isOf(source, provider)) && accessGrant.allowsSource(source.id),
    );
    const name = `${stale} ${visible.map(({ id }) => id).join()}`;
    const made = this.#representationsOf(list);
    const body = made.get(name) ?? this.#bodyOf(visible, list.requestedAtMs, stale);
    made.set(name, body);
    return body;
  }

  #representationsOf(list: SourceList): Map<string, Representation> {
    const made = this.#made.get(list) ?? new Map<string, Representation>();
    this.#made.set(list, made);
    return made;
  }

  #bodyOf(visible: readonly ReadSource[], requestedAtMs: number, stale: boolean): Representation {
    const sources = visible.map((source) => publicSource(source, this.#fieldPolicy));
    return new Representation(JSON.stringify({ meta: answerMeta(requestedAtMs, stale), sources }), JSON_TYPE);
  }
}

function isOf(source: ReadSource, provider: string): boolean {
  return source.provider.toUpperCase() === provider;
}
