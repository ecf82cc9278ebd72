import type { CallLedger, CallRequest, CallVerdict } from '../budget/call-ledger.ts';
import type { Clock } from '../clock.ts';

/** A call that somebody waits for. */
export interface Waiting {
  readonly request: CallRequest;
  /** How much it is wanted, at the moment; the most wanted goes first. */
  readonly demand: () => number;
  /** After this moment the call would come too late. */
  readonly until: number;
}

interface Place extends Waiting {
  readonly leave: (verdict: CallVerdict) => void;
}

/**
 * Where calls wait for their turn when the budget has none to give: the most wanted first, nobody in vain. Who could not
 * be served in time is told at once.
 */
export class PayQueue {
  readonly #ledger: CallLedger;
  readonly #clock: Clock;
  readonly #places: Record<CallRequest['payer'], Set<Place>> = { known: new Set(), stranger: new Set() };
  readonly #pumping: Record<CallRequest['payer'], boolean> = { known: false, stranger: false };

  readonly #naps = new Set<() => void>();

  constructor(ledger: CallLedger, clock: Clock) {
    this.#ledger = ledger;
    this.#clock = clock;
  }

  /** Sends everybody away. */
  close(): void {
    const closed = { kind: 'refused', reason: 'budget', retryInMs: 1_000 } as const;
    for (const payer of ['known', 'stranger'] as const)
      for (const place of this.#places[payer]) this.#dismiss(payer, place, closed);
    for (const wake of this.#naps) wake();
  }

  /** The ledger's word now, for a call that nobody waits for; those that are waited for go before it. */
  async ask(request: CallRequest): Promise<CallVerdict> {
    if (this.#places[request.payer].size > 0) return { kind: 'refused', reason: 'budget', retryInMs: 1_000 };
    return this.#ledger.acquire(request);
  }

  /** The ledger's word once it is this call's turn, or as soon as it is plain that its turn would come too late. */
  async waitFor(waiting: Waiting): Promise<CallVerdict> {
    const { request, until } = waiting;
    if (this.#places[request.payer].size === 0) {
      const verdict = await this.#ledger.acquire(request);
      if (verdict.kind !== 'refused' || this.#clock.now() + verdict.retryInMs > until) return verdict;
    }
    const turnInMs = this.#turnInMs(waiting);
    if (this.#clock.now() + turnInMs > until) return { kind: 'refused', reason: 'budget', retryInMs: turnInMs };
    return new Promise((leave) => {
      this.#places[request.payer].add({ ...waiting, leave });
      void this.#pump(request.payer);
    });
  }

  /** How long until this call's turn, if the window gives out its calls evenly. */
  #turnInMs({ request, demand }: Waiting): number {
    const { windowMs, capacity } = this.#ledger.status();
    const wanted = demand();
    const before = [...this.#places[request.payer]].filter((place) => place.demand() >= wanted).length;
    return (before * windowMs) / Math.max(1, capacity);
  }

  /** Gives each call to whoever wants it most, until nobody waits. */
  async #pump(payer: CallRequest['payer']): Promise<void> {
    if (this.#pumping[payer]) return;
    this.#pumping[payer] = true;
    for (let first = this.#first(payer); first; first = this.#first(payer)) {
      const verdict = await this.#ledger.acquire(first.request);
      if (verdict.kind !== 'refused') this.#dismiss(payer, first, verdict);
      else await this.#pause(payer, verdict);
    }
    this.#pumping[payer] = false;
  }

  #first(payer: CallRequest['payer']): Place | undefined {
    let first: Place | undefined;
    let most = -Infinity;
    for (const place of this.#places[payer]) {
      const wanted = place.demand();
      if (wanted > most) [first, most] = [place, wanted];
    }
    return first;
  }

  /** Lets time pass until there may be a call, and sends away those for whom that is too late. */
  async #pause(payer: CallRequest['payer'], verdict: Extract<CallVerdict, { kind: 'refused' }>): Promise<void> {
    const nextAt = this.#clock.now() + verdict.retryInMs;
    for (const place of this.#places[payer]) if (place.until < nextAt) this.#dismiss(payer, place, verdict);
    if (this.#places[payer].size > 0) await this.#nap(verdict.retryInMs);
  }

  /** Resolves after `ms`, or when the queue is closed. */
  async #nap(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#clock.schedule(ms, resolve);
    this.#naps.add(resolve);
    await promise;
    cancel();
    this.#naps.delete(resolve);
  }

  #dismiss(payer: CallRequest['payer'], place: Place, verdict: CallVerdict): void {
    this.#places[payer].delete(place);
    place.leave(verdict);
  }
}
