import type { CallBudget, CallRequest, AcquireResult } from './call-budget.ts';
import type { Clock } from '../clock.ts';

/** A call that somebody waits for. */
export interface PermitRequest {
  readonly request: CallRequest;
  /** How much it is wanted, at the moment; the most wanted goes first. */
  readonly demand: () => number;
  /** After this moment the call would come too late. */
  readonly until: number;
}

interface Waiter extends PermitRequest {
  readonly resolve: (result: AcquireResult) => void;
}

/**
 * Where calls wait for their turn when the budget has none to give: the most wanted first, nobody in vain. Who could not
 * be served in time is told at once.
 */
export class PermitQueue {
  readonly #callBudget: CallBudget;
  readonly #clock: Clock;
  readonly #waiters: Record<CallRequest['bucket'], Set<Waiter>> = { known: new Set(), unknown: new Set() };
  readonly #draining: Record<CallRequest['bucket'], boolean> = { known: false, unknown: false };

  readonly #sleepers = new Set<() => void>();

  constructor(callBudget: CallBudget, clock: Clock) {
    this.#callBudget = callBudget;
    this.#clock = clock;
  }

  /** Sends everybody away. */
  close(): void {
    const closed = { kind: 'denied', reason: 'budget', retryInMs: 1_000 } as const;
    for (const bucket of ['known', 'unknown'] as const)
      for (const waiter of this.#waiters[bucket]) this.#dismiss(bucket, waiter, closed);
    for (const wake of this.#sleepers) wake();
  }

  /** The call budget's word now, for a call that nobody waits for; those that are waited for go before it. */
  async acquire(request: CallRequest): Promise<AcquireResult> {
    if (this.#waiters[request.bucket].size > 0) return { kind: 'denied', reason: 'budget', retryInMs: 1_000 };
    return this.#callBudget.acquire(request);
  }

  /** The call budget's word once it is this call's turn, or as soon as it is plain that its turn would come too late. */
  async waitFor(waiting: PermitRequest): Promise<AcquireResult> {
    const { request, until } = waiting;
    if (this.#waiters[request.bucket].size === 0) {
      const result = await this.#callBudget.acquire(request);
      if (result.kind !== 'denied' || this.#clock.now() + result.retryInMs > until) return result;
    }
    const turnInMs = this.#turnInMs(waiting);
    if (this.#clock.now() + turnInMs > until) return { kind: 'denied', reason: 'budget', retryInMs: turnInMs };
    return new Promise((resolve) => {
      this.#waiters[request.bucket].add({ ...waiting, resolve });
      void this.#drain(request.bucket);
    });
  }

  /** How long until this call's turn, if the window gives out its calls evenly. */
  #turnInMs({ request, demand }: PermitRequest): number {
    const { windowMs, capacity } = this.#callBudget.status();
    const wanted = demand();
    const before = [...this.#waiters[request.bucket]].filter((waiter) => waiter.demand() >= wanted).length;
    return (before * windowMs) / Math.max(1, capacity);
  }

  /** Gives each call to whoever wants it most, until nobody waits. */
  async #drain(bucket: CallRequest['bucket']): Promise<void> {
    if (this.#draining[bucket]) return;
    this.#draining[bucket] = true;
    for (let first = this.#first(bucket); first; first = this.#first(bucket)) {
      const result = await this.#callBudget.acquire(first.request);
      if (result.kind !== 'denied') this.#dismiss(bucket, first, result);
      else await this.#pause(bucket, result);
    }
    this.#draining[bucket] = false;
  }

  #first(bucket: CallRequest['bucket']): Waiter | undefined {
    let first: Waiter | undefined;
    let max = -Infinity;
    for (const waiter of this.#waiters[bucket]) {
      const wanted = waiter.demand();
      if (wanted > max) [first, max] = [waiter, wanted];
    }
    return first;
  }

  /** Lets time pass until there may be a call, and sends away those for whom that is too late. */
  async #pause(bucket: CallRequest['bucket'], result: Extract<AcquireResult, { kind: 'denied' }>): Promise<void> {
    const nextAt = this.#clock.now() + result.retryInMs;
    for (const waiter of this.#waiters[bucket]) if (waiter.until < nextAt) this.#dismiss(bucket, waiter, result);
    if (this.#waiters[bucket].size > 0) await this.#sleep(result.retryInMs);
  }

  /** Resolves after `ms`, or when the queue is closed. */
  async #sleep(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#clock.schedule(ms, resolve);
    this.#sleepers.add(resolve);
    await promise;
    cancel();
    this.#sleepers.delete(resolve);
  }

  #dismiss(bucket: CallRequest['bucket'], waiter: Waiter, result: AcquireResult): void {
    this.#waiters[bucket].delete(waiter);
    waiter.resolve(result);
  }
}
