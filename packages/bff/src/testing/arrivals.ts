import type { CallPermit, CallResult } from '../budget/call-budget.ts';

/** The highest number of arrivals in any half-open window of `windowMs`. */
export function maxInAnyWindow(arrivals: readonly number[], windowMs: number): number {
  const sorted = arrivals.toSorted((a, b) => a - b);
  let max = 0;
  for (let first = 0, last = 0; last < sorted.length; last += 1) {
    while ((sorted[last] ?? 0) - (sorted[first] ?? 0) >= windowMs) first += 1;
    max = Math.max(max, last - first + 1);
  }
  return max;
}

/** How an upstream counts calls, and whether it reports the count in headers. */
export interface CountingOptions {
  readonly limit: number;
  readonly windowMs: number;
  /** Sliding: over the last window. Fixed: over a window that begins with its first call. */
  readonly counting: 'sliding' | 'fixed';
  readonly hasHeaders: boolean;
}

/** A call that was sent. It arrives after half of its round trip. */
interface Call<Sender> {
  readonly permit: CallPermit;
  readonly sender: Sender;
  readonly arrivesAt: number;
  readonly endsAt: number;
  result?: CallResult;
}

/** An upstream that counts the calls that arrive, on the clock of a test. */
export class CountingUpstream<Sender> {
  readonly arrivals: number[] = [];
  readonly underWay = new Set<Call<Sender>>();
  readonly #options: CountingOptions;

  constructor(options: CountingOptions) {
    this.#options = options;
  }

  send(permit: CallPermit, sender: Sender, { now, tripMs }: { now: number; tripMs: number }): void {
    this.underWay.add({ permit, sender, arrivesAt: now + tripMs / 2, endsAt: now + tripMs });
  }

  /** Lets calls arrive in order. Returns the calls that have ended, with their results. */
  advance(now: number): Required<Call<Sender>>[] {
    const due = [...this.underWay].filter(({ arrivesAt, result }) => arrivesAt <= now && !result);
    for (const call of due.sort((a, b) => a.arrivesAt - b.arrivesAt)) {
      this.arrivals.push(call.arrivesAt);
      call.result = { fate: 'answered', window: this.#windowAt(call.arrivesAt) };
    }
    const ended = [...this.underWay].filter((call): call is Required<Call<Sender>> => call.endsAt <= now);
    for (const call of ended) this.underWay.delete(call);
    return ended;
  }

  #windowAt(now: number): NonNullable<CallResult['window']> {
    const { limit, windowMs, counting, hasHeaders } = this.#options;
    if (!hasHeaders) return { limit: undefined, remaining: undefined, resetInMs: undefined };
    const startsAt = counting === 'sliding' ? now - windowMs : Math.floor(now / windowMs) * windowMs - 1e-9;
    const counted = this.arrivals.filter((at) => at > startsAt && at <= now);
    const resetAt = counting === 'sliding' ? (counted[0] ?? now) + windowMs : startsAt + windowMs;
    return { limit, remaining: Math.max(0, limit - counted.length), resetInMs: Math.max(0, resetAt - now) };
  }
}
