import type { ReadSource } from '@pulse-card/contract';
import type { Permit } from '../access/permit.ts';
import type { PulseCache, SourceList } from '../cache/port.ts';
import { sendKnown } from './answer-freshness.ts';
import type { Exchange } from './exchange.ts';
import type { Lifetimes } from './freshness-headers.ts';
import { PreparedBody } from './prepared-body.ts';
import { type Exposure, publicSource } from './public-pulse.ts';
import { answerMeta, JSON_TYPE } from './pulse-bodies.ts';
import { sendError } from './send-error.ts';

/** The route of the list, as log and metrics name it. */
export const SOURCES_ROUTE = '/v1/sources';

/** What the list's route needs. */
export interface SourcesRouteParts {
  readonly cache: PulseCache;
  readonly bodies: SourceListBodies;
  readonly lifetimes: Lifetimes;
}

/** Answers with the list of sources, or with those of one provider, as far as the reader may see them. */
export async function answerSources(
  exchange: Exchange,
  { cache, bodies, lifetimes }: SourcesRouteParts,
): Promise<void> {
  exchange.route = SOURCES_ROUTE;
  const reading = await cache.readSources();
  if (!reading.ok) return sendError(exchange, reading.code, { retryAfterSeconds: reading.retryAfterSeconds });
  const { known, stale, ageMs, facts } = reading;
  const provider = new URLSearchParams(exchange.query).get('provider')?.toUpperCase();
  sendKnown(exchange, bodies.answer(known, stale, provider, exchange.permit), { ageMs, stale, facts }, lifetimes);
}

/** The bodies of lists: made once for each list, condition and choice of sources, and gone with the list. */
export class SourceListBodies {
  readonly #exposure: Exposure;
  readonly #made = new WeakMap<SourceList, Map<string, PreparedBody>>();

  constructor(exposure: Exposure) {
    this.#exposure = exposure;
  }

  /** The answer with all sources, or with those of `provider` (upper case), that `permit` covers. */
  answer(list: SourceList, stale: boolean, provider: string | undefined, permit: Permit): PreparedBody {
    const shown = list.sources.filter(
      (source) => (provider === undefined || isOf(source, provider)) && permit.covers(source.id),
    );
    const name = `${stale} ${shown.map(({ id }) => id).join()}`;
    const made = this.#madeOf(list);
    const body = made.get(name) ?? this.#bodyOf(shown, list.requestedAtMs, stale);
    made.set(name, body);
    return body;
  }

  #madeOf(list: SourceList): Map<string, PreparedBody> {
    const made = this.#made.get(list) ?? new Map<string, PreparedBody>();
    this.#made.set(list, made);
    return made;
  }

  #bodyOf(shown: readonly ReadSource[], requestedAtMs: number, stale: boolean): PreparedBody {
    const sources = shown.map((source) => publicSource(source, this.#exposure));
    return new PreparedBody(JSON.stringify({ meta: answerMeta(requestedAtMs, stale), sources }), JSON_TYPE);
  }
}

function isOf(source: ReadSource, provider: string): boolean {
  return source.provider.toUpperCase() === provider;
}
