import type { AnswerMeta, PublicPulse, PublicSourceFacts } from '@pulse-card/contract';
import type { Card } from '../cache/port.ts';
import { PreparedBody } from './prepared-body.ts';
import { type Exposure, publicPulse, publicSourceFacts } from './public-pulse.ts';

/** The content type of every answer with data. */
export const JSON_TYPE = 'application/json; charset=utf-8';

/** What is made of a card for one of its two conditions, each part once, when it is first asked for. */
interface Made {
  readonly imagePeriod: number;
  body?: PreparedBody;
  item?: string;
}

/** The bodies of cards: made once for each card and condition, anew where the addresses of charts change, and gone with it. */
export class PulseBodies {
  readonly #exposure: Exposure;
  readonly #fresh = new WeakMap<Card, Made>();
  readonly #stale = new WeakMap<Card, Made>();

  constructor(exposure: Exposure) {
    this.#exposure = exposure;
  }

  /** The answer for one source; `card` must have a pulse. */
  answer(card: Card, stale: boolean): PreparedBody {
    const made = this.#madeOf(card, stale);
    made.body ??= new PreparedBody(JSON.stringify(this.#answerOf(card, stale)), JSON_TYPE);
    return made.body;
  }

  /** The text of an item of a batch; `card` must have a pulse. */
  item(card: Card, stale: boolean): string {
    const made = this.#madeOf(card, stale);
    made.item ??= JSON.stringify({ sourceId: card.sourceId, ok: true, ...this.#answerOf(card, stale) });
    return made.item;
  }

  /** What readers see of the source of `card`. */
  sourceFacts(card: Card): PublicSourceFacts {
    return publicSourceFacts(card, this.#exposure);
  }

  #madeOf(card: Card, stale: boolean): Made {
    const all = stale ? this.#stale : this.#fresh;
    const known = all.get(card);
    const imagePeriod = this.#exposure.imagePeriod?.() ?? 0;
    if (known?.imagePeriod === imagePeriod) return known;
    const made: Made = { imagePeriod };
    all.set(card, made);
    return made;
  }

  #answerOf(card: Card, stale: boolean): { meta: AnswerMeta; pulse: PublicPulse; source: PublicSourceFacts } {
    if (card.pulse === null) throw new TypeError('Cannot make an answer: the card has no pulse');
    return {
      meta: answerMeta(card.requestedAtMs, stale),
      pulse: publicPulse(card.pulse, this.#exposure),
      source: this.sourceFacts(card),
    };
  }
}

/** What an answer says of itself. */
export function answerMeta(requestedAtMs: number, stale: boolean): AnswerMeta {
  return { requestedAt: new Date(requestedAtMs).toISOString(), stale };
}
