import { LRUCache } from 'lru-cache';
import type { Clock } from '../lib/clock.ts';
import type { Failure } from './failure.ts';
import { LIST } from './target.ts';

/** The maximum number of failing targets that are remembered. */
const MAX_FAILURES = 10_000;

/** The wait after the first failure is 1 to 2 s. Each additional failure doubles the wait, up to 15 to 30 s. */
const FIRST_WAIT_MS = 2_000;
const MAX_WAIT_MS = 30_000;

const NONE_TRIED = { target: '', at: -Infinity };

/** A target's last failure. `retryInMs` is 0 once it may be tried again. */
export interface LastFailure extends Omit<Failure, 'ok'> {
  /** Time since the first of the consecutive failures, in ms. */
  readonly forMs: number;
}

interface Backoff {
  readonly failure: Failure;
  /** How many failures in a row were caused by the target itself. */
  readonly ownFailures: number;
  readonly since: number;
  readonly until: number;
}

export interface BackoffsOptions {
  readonly clock: Clock;
  /** The time between two calls for failing sources. */
  readonly everyMs: number;
  /** @default Math.random */
  readonly random?: (() => number) | undefined;
}

/**
 * How long failing targets wait. Failing sources never use more than a fraction of the calls: one of them is tried at a
 * time, every `everyMs`. The list is exempt.
 */
export class TargetBackoffs {
  readonly #backoffs = new LRUCache<string, Backoff>({ max: MAX_FAILURES });
  readonly #options: BackoffsOptions;
  /** The failing source that was tried last. */
  #tried = NONE_TRIED;

  constructor(options: BackoffsOptions) {
    this.#options = options;
  }

  /** Why a target can't be called now: it failed recently, or another failing source was just tried. */
  blocks(target: string): Failure | undefined {
    const backoff = this.#backoffs.get(target);
    if (backoff === undefined) return undefined;
    const { clock, everyMs } = this.#options;
    const now = clock.now();
    const isNext = target === LIST || target === this.#tried.target;
    const until = Math.max(backoff.until, isNext ? 0 : this.#tried.at + everyMs);
    return until > now ? { ...backoff.failure, retryInMs: until - now } : undefined;
  }

  /** A target's last failure, until a call for it succeeds. */
  last(target: string): LastFailure | undefined {
    const now = this.#options.clock.now();
    const backoff = this.#backoffs.peek(target);
    if (backoff === undefined) return undefined;
    const { ok: _ok, ...failure } = backoff.failure;
    return { ...failure, retryInMs: Math.max(0, backoff.until - now), forMs: now - backoff.since };
  }

  /** Records that a target is tried: no other failing source is tried in the meantime. */
  tried(target: string): void {
    if (target !== LIST && this.#backoffs.has(target)) this.#tried = { target, at: this.#options.clock.now() };
  }

  /**
   * Records the failure of a call that began at `beganAt`. If the target didn't cause the failure, `waitMs` specifies
   * how long to wait. Returns the wait, in ms.
   */
  failed(
    target: string,
    failure: Failure,
    { beganAt, waitMs }: { beganAt: number; waitMs: number | undefined },
  ): number {
    const now = this.#options.clock.now();
    const before = this.#backoffs.peek(target);
    const ownFailures = (before?.ownFailures ?? 0) + Number(waitMs === undefined);
    const forMs = waitMs ?? this.#waitMs(ownFailures);
    this.#backoffs.set(target, { failure, ownFailures, since: before?.since ?? beganAt, until: now + forMs });
    return forMs;
  }

  /**
   * Records a response. The cause of the failures may also be resolved for other sources, so the next one may be tried.
   */
  succeeded(target: string): void {
    if (this.#backoffs.delete(target)) this.#tried = NONE_TRIED;
  }

  /** Forgets all failures, because what caused them may be resolved. */
  clear(): void {
    this.#backoffs.clear();
  }

  #waitMs(failures: number): number {
    const { random = Math.random } = this.#options;
    const ceilingMs = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(failures - 1, 30));
    return Math.round((ceilingMs * (1 + random())) / 2);
  }
}
