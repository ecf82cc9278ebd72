import type { AcquireResult, CallBudget } from './call-budget.ts';
import type { Clock } from '../lib/clock.ts';

/** A request for a permit. */
export interface PermitRequest {
  readonly subject: string;
  /** The request with the highest demand is served first. The demand may change while the request waits. */
  readonly demand: number;
}

interface Waiter {
  readonly request: PermitRequest;
  /** A permit that is granted after this time is too late. */
  readonly until: number;
  readonly resolve: (result: AcquireResult) => void;
}

/**
 * Priority queue for permits while the budget is spent: the request with the highest demand goes first. A request that
 * can't be served in time is denied immediately.
 */
export class PermitQueue {
  readonly #callBudget: CallBudget;
  readonly #clock: Clock;
  readonly #waiters = new Set<Waiter>();
  #isDraining = false;
  #wake: () => void = () => {};

  constructor(callBudget: CallBudget, clock: Clock) {
    this.#callBudget = callBudget;
    this.#clock = clock;
  }

  /** Denies all requests that wait. */
  close(): void {
    const closed = { kind: 'denied', reason: 'budget', retryInMs: 1_000 } as const;
    for (const waiter of this.#waiters) this.#dismiss(waiter, closed);
    this.#wake();
  }

  /** Acquires a permit for a request that no reader waits for. The request is denied while other requests wait. */
  async acquire(subject: string): Promise<AcquireResult> {
    if (this.#waiters.size > 0) return { kind: 'denied', reason: 'budget', retryInMs: 1_000 };
    return this.#callBudget.acquire(subject);
  }

  /**
   * Waits for a permit. The request is denied as soon as it is certain that no permit would be granted before `until`.
   */
  async waitFor(request: PermitRequest, until: number): Promise<AcquireResult> {
    if (this.#waiters.size === 0) {
      const result = await this.#callBudget.acquire(request.subject);
      if (result.kind !== 'denied' || this.#clock.now() + result.retryInMs > until) return result;
    }
    const turnInMs = this.#turnInMs(request);
    if (this.#clock.now() + turnInMs > until) return { kind: 'denied', reason: 'budget', retryInMs: turnInMs };
    return new Promise((resolve) => {
      this.#waiters.add({ request, until, resolve });
      void this.#drain();
    });
  }

  /** The expected wait, if permits are granted evenly over the window. */
  #turnInMs({ demand }: PermitRequest): number {
    const { windowMs, capacity } = this.#callBudget.status();
    const before = [...this.#waiters].filter(({ request }) => request.demand >= demand).length;
    return (before * windowMs) / Math.max(1, capacity);
  }

  /** Grants permits in order of demand until no request waits. */
  async #drain(): Promise<void> {
    if (this.#isDraining) return;
    this.#isDraining = true;
    for (let first = this.#first(); first; first = this.#first()) {
      const result = await this.#callBudget.acquire(first.request.subject);
      if (result.kind !== 'denied') this.#dismiss(first, result);
      else await this.#pause(result);
    }
    this.#isDraining = false;
  }

  #first(): Waiter | undefined {
    let first: Waiter | undefined;
    let max = -Infinity;
    for (const waiter of this.#waiters) {
      const { demand } = waiter.request;
      if (demand > max) [first, max] = [waiter, demand];
    }
    return first;
  }

  /** Waits until a permit may be available. Denies the requests that would get a permit too late. */
  async #pause(result: Extract<AcquireResult, { kind: 'denied' }>): Promise<void> {
    const nextAt = this.#clock.now() + result.retryInMs;
    for (const waiter of this.#waiters) if (waiter.until < nextAt) this.#dismiss(waiter, result);
    if (this.#waiters.size > 0) await this.#sleep(result.retryInMs);
  }

  /** Resolves after `ms`, or when the queue is closed. */
  async #sleep(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#clock.schedule(ms, resolve);
    this.#wake = resolve;
    await promise;
    cancel();
  }

  #dismiss(waiter: Waiter, result: AcquireResult): void {
    this.#waiters.delete(waiter);
    waiter.resolve(result);
  }
}
