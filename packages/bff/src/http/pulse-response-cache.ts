import type { AnswerMeta, PublicPulse, PublicSourceFacts } from '@pulse-card/contract';
import type { SourceSnapshot } from '../cache/port.ts';
import { Representation } from './representation.ts';
import { type FieldPolicy, publicPulse, publicSourceFacts } from './public-pulse.ts';

/** The content type of every answer with data. */
export const JSON_TYPE = 'application/json; charset=utf-8';

/** What is made of a card for one of its two conditions, each part once, when it is first asked for. */
interface CachedRepresentations {
  readonly imagePeriod: number;
  body?: Representation;
  item?: string;
}

/** The bodies of cards: made once for each card and condition, anew where the addresses of charts change, and gone with it. */
export class PulseResponseCache {
  readonly #fieldPolicy: FieldPolicy;
  readonly #fresh = new WeakMap<SourceSnapshot, CachedRepresentations>();
  readonly #stale = new WeakMap<SourceSnapshot, CachedRepresentations>();

  constructor(fieldPolicy: FieldPolicy) {
    this.#fieldPolicy = fieldPolicy;
  }

  /** The answer for one source; `card` must have a pulse. */
  answer(snapshot: SourceSnapshot, stale: boolean): Representation {
    const made = this.#representationsOf(snapshot, stale);
    made.body ??= new Representation(JSON.stringify(this.#answerOf(snapshot, stale)), JSON_TYPE);
    return made.body;
  }

  /** The text of an item of a batch; `card` must have a pulse. */
  item(snapshot: SourceSnapshot, stale: boolean): string {
    const made = this.#representationsOf(snapshot, stale);
    made.item ??= JSON.stringify({ sourceId: snapshot.sourceId, ok: true, ...this.#answerOf(snapshot, stale) });
    return made.item;
  }

  /** What readers see of the source of `card`. */
  sourceFacts(snapshot: SourceSnapshot): PublicSourceFacts {
    return publicSourceFacts(snapshot, this.#fieldPolicy);
  }

  #representationsOf(snapshot: SourceSnapshot, stale: boolean): CachedRepresentations {
    const all = stale ? this.#stale : this.#fresh;
    const known = all.get(snapshot);
    const imagePeriod = this.#fieldPolicy.imagePeriod?.() ?? 0;
    if (known?.imagePeriod === imagePeriod) return known;
    const made: CachedRepresentations = { imagePeriod };
    all.set(snapshot, made);
    return made;
  }

  #answerOf(
    snapshot: SourceSnapshot,
    stale: boolean,
  ): { meta: AnswerMeta; pulse: PublicPulse; source: PublicSourceFacts } {
    if (snapshot.pulse === null) throw new TypeError('Cannot make an answer: the card has no pulse');
    return {
      meta: answerMeta(snapshot.requestedAtMs, stale),
      pulse: publicPulse(snapshot.pulse, this.#fieldPolicy),
      source: this.sourceFacts(snapshot),
    };
  }
}

/** What an answer says of itself. */
export function answerMeta(requestedAtMs: number, stale: boolean): AnswerMeta {
  return { requestedAt: new Date(requestedAtMs).toISOString(), stale };
}
