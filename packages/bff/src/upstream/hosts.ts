import type { Clock } from '../lib/clock.ts';
import { type Failure, failed, type FailureCode, type HostName } from './failure.ts';

/** A host is down after this many failures in a row, or after one if the other host works. */
const FAILURES_UNTIL_DOWN = 3;

/**
 * How long a host that is down isn't called. Shorter if both are down, because readers don't get anything new in the
 * meantime.
 */
const DOWN_MS = 15_000;
const BOTH_DOWN_MS = 7_500;

/** How a call failed. */
type CallFailure = Pick<Failure, 'code' | 'status' | 'detail'>;

interface Host {
  readonly name: HostName;
  failures: number;
  /** When a host that is down will be tried again. Undefined while the host works. */
  downUntil: number | undefined;
  lastAnswerAt: number | undefined;
  failure: CallFailure | null;
  /** Whether the latest conclusive list call failed, and when it was sent. */
  list: { readonly isBad: boolean; readonly at: number } | undefined;
}

/** Decides which host gets the next call. Calls go to the main host as long as it works. */
export class Hosts {
  readonly #hosts: readonly Host[];
  readonly #named: Readonly<Record<HostName, Host>>;
  readonly #clock: Clock;

  constructor({ hasAlt, clock }: { readonly hasAlt: boolean; readonly clock: Clock }) {
    const fresh = { failures: 0, downUntil: undefined, lastAnswerAt: undefined, failure: null, list: undefined };
    const { main, alt } = (this.#named = { main: { name: 'main', ...fresh }, alt: { name: 'alt', ...fresh } });
    this.#hosts = hasAlt ? [main, alt] : [main];
    this.#clock = clock;
  }

  /**
   * The hosts that a call may go to now, in order. A reader's call tries a host that was down last; any other call
   * tries it first, so that no reader waits for it.
   */
  order({ isAwaited }: { readonly isAwaited: boolean }): readonly HostName[] {
    const now = this.#clock.now();
    const working = this.#hosts.filter(({ downUntil }) => downUntil === undefined);
    const due = this.#hosts.filter(({ downUntil }) => downUntil !== undefined && downUntil <= now);
    return (isAwaited ? [...working, ...due] : [...due, ...working]).map(({ name }) => name);
  }

  /** Why no call may go to any host now; undefined if one may. `laterMs`: how much longer a host counts as down. */
  blocks(laterMs = 0): Failure | undefined {
    const now = this.#clock.now();
    const downForMs = Math.min(...this.#hosts.map(({ downUntil = -Infinity }) => downUntil + laterMs - now));
    return downForMs > 0 ? failed(this.failureCode, downForMs) : undefined;
  }

  /** How a host's last call failed, with the main host taking precedence. */
  get failureCode(): FailureCode {
    return this.#hosts.find(({ failure }) => failure !== null)?.failure?.code ?? 'connection';
  }

  get areAllDown(): boolean {
    return this.#hosts.every(({ downUntil }) => downUntil !== undefined);
  }

  /** Records that a call is sent. A host that was down isn't called again until `until`. */
  tried(name: HostName, until: number): void {
    const host = this.#named[name];
    if (host.downUntil !== undefined) host.downUntil = until;
  }

  /** Records a response that shows that the host works: data, or a rejection by the service itself. */
  answered(name: HostName): void {
    const lastAnswerAt = this.#clock.now();
    Object.assign(this.#named[name], { failures: 0, downUntil: undefined, lastAnswerAt, failure: null });
  }

  /** Records that the host was unreachable, too slow, or returned no usable response. */
  failed(name: HostName, failure: CallFailure): void {
    const host = this.#named[name];
    const other = this.#hosts.find((each) => each !== host);
    host.failures += 1;
    host.failure = failure;
    const isDown = host.downUntil !== undefined || host.failures >= FAILURES_UNTIL_DOWN || other?.failures === 0;
    const isOtherUp = other !== undefined && other.downUntil === undefined;
    if (isDown) host.downUntil = this.#clock.now() + (isOtherUp ? DOWN_MS : BOTH_DOWN_MS);
  }

  /** When the host last responded; `-Infinity` if it never did. */
  lastAnswerAt(name: HostName): number {
    return this.#named[name].lastAnswerAt ?? -Infinity;
  }

  /** Records the outcome of a list call that was sent at `at`. */
  listEnded(name: HostName, at: number, { isBad }: { readonly isBad: boolean }): void {
    this.#named[name].list = { isBad, at };
  }

  /**
   * Whether a 404 that was requested at `requestedAt` means that a source has no pulse. It doesn't if the host's
   * response to the list is a 404 or isn't usable, because the host then probably returns 404 for everything.
   */
  trusts404(name: HostName, requestedAt: number): boolean | 'unknown' {
    const { list } = this.#named[name];
    if (list?.isBad) return false;
    return list !== undefined && list.at >= requestedAt ? true : 'unknown';
  }

  status() {
    const now = this.#clock.now();
    const preferred = this.#hosts.find(({ downUntil }) => downUntil === undefined)?.name ?? 'main';
    return this.#hosts.map(({ name, failures, downUntil, lastAnswerAt, failure }) => ({
      host: name,
      state: stateOf(failures, downUntil, now),
      preferred: name === preferred,
      consecutiveFailures: failures,
      /** On the monotonic clock. */
      lastAnswerAt,
      /** How long until the host is tried again, or 0. */
      openForMs: Math.max(0, (downUntil ?? now) - now),
      /** How the last call failed; null if it got a response. */
      failure,
    }));
  }
}

/** `open`: down. `half-open`: the next call tries the host again. */
function stateOf(failures: number, downUntil: number | undefined, now: number) {
  if (downUntil === undefined) return failures > 0 ? 'degraded' : 'closed';
  return downUntil <= now ? 'half-open' : 'open';
}
