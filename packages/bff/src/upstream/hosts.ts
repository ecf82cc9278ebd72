import type { HostName } from './port.ts';

/** Failures in a row that open the circuit of a host; one is enough where the other host is well. */
const FAILURES_TO_OPEN = 3;

/** How long a circuit stays open before a trial call. */
const OPEN_MS = 15_000;

/** The share of the remaining time that the first of two hosts gets. */
const FIRST_HOST_SHARE = 0.6;

/** The state of a host. */
export interface HostStatus {
  readonly host: HostName;
  readonly state: 'closed' | 'degraded' | 'open' | 'half-open';
  readonly preferred: boolean;
  readonly consecutiveFailures: number;
  readonly lastAnswerAt: number | undefined;
  /** How long until a trial call may be sent, or 0. */
  readonly openForMs: number;
}

interface Host {
  readonly name: HostName;
  failures: number;
  /** Set while the circuit is open or half-open. */
  openUntil: number | undefined;
  lastAnswerAt: number | undefined;
}

/**
 * Circuit breaker and failover for the two hosts: calls go to the main host while its circuit is closed. An open circuit lets
 * one trial call through at a time.
 */
export class Hosts {
  readonly #hosts: readonly Host[];
  readonly #callMs: number;

  /** `callMs`: the deadline of a call; no second trial call is sent to a half-open host sooner. */
  constructor({ hasAlt, callMs }: { readonly hasAlt: boolean; readonly callMs: number }) {
    this.#callMs = callMs;
    const names: HostName[] = hasAlt ? ['main', 'alt'] : ['main'];
    this.#hosts = names.map((name) => ({ name, failures: 0, openUntil: undefined, lastAnswerAt: undefined }));
  }

  /** The hosts that a call may go to now, in order. A half-open host is last for readers and first for calls by plan. */
  order(now: number, { isUserFacing }: { isUserFacing: boolean }): readonly HostName[] {
    const closed = this.#hosts.filter(({ openUntil }) => openUntil === undefined);
    const halfOpen = this.#hosts.filter(({ openUntil }) => openUntil !== undefined && openUntil <= now);
    const order = isUserFacing ? [...closed, ...halfOpen] : [...halfOpen, ...closed];
    return order.map(({ name }) => name);
  }

  /** How long until a call may go to any host, or 0. */
  openForMs(now: number): number {
    return Math.max(0, Math.min(...this.#hosts.map(({ openUntil }) => (openUntil ?? now) - now)));
  }

  /** Returns whether every host is open or half-open. */
  allHostsDown(): boolean {
    return this.#hosts.every(({ openUntil }) => openUntil !== undefined);
  }

  /** Returns whether the host that a user-facing call would go to answered its last call. */
  isHealthy(now: number): boolean {
    const [first] = this.order(now, { isUserFacing: true });
    return first !== undefined && this.#host(first).failures === 0;
  }

  /** The deadline of a call, of `leftMs` that are left: for one host, or for this host and another. */
  timeoutMs(leftMs: number, { hasOther }: { readonly hasOther: boolean }): number {
    return hasOther ? leftMs * FIRST_HOST_SHARE : leftMs;
  }

  /** Records that a call to the host is sent; a half-open host gets no other call meanwhile. */
  recordAttempt(name: HostName, now: number): void {
    const host = this.#host(name);
    if (host.openUntil !== undefined) host.openUntil = now + this.#callMs;
  }

  /** Records an answer, whatever its status; returns whether all hosts were open or half-open before. */
  recordSuccess(name: HostName, now: number): boolean {
    const wereAllDown = this.allHostsDown();
    Object.assign(this.#host(name), { failures: 0, openUntil: undefined, lastAnswerAt: now });
    return wereAllDown;
  }

  /** Records that the host could not be reached, was too slow, or answered with a failure of its own. */
  recordFailure(name: HostName, now: number): void {
    const host = this.#host(name);
    host.failures += 1;
    const isEnough = host.failures >= FAILURES_TO_OPEN || this.#hosts.some((other) => other !== host && isWell(other));
    if (host.openUntil !== undefined || isEnough) host.openUntil = now + OPEN_MS;
  }

  status(now: number): readonly HostStatus[] {
    const preferred = this.#hosts.find(({ openUntil }) => openUntil === undefined)?.name ?? 'main';
    return this.#hosts.map((host) => ({
      host: host.name,
      state: stateOf(host, now),
      preferred: host.name === preferred,
      consecutiveFailures: host.failures,
      lastAnswerAt: host.lastAnswerAt,
      openForMs: Math.max(0, (host.openUntil ?? now) - now),
    }));
  }

  #host(name: HostName): Host {
    const host = this.#hosts.find((candidate) => candidate.name === name);
    if (!host) throw new RangeError(`Cannot choose a host: there is no "${name}"`);
    return host;
  }
}

function isWell({ openUntil, failures }: Host): boolean {
  return openUntil === undefined && failures === 0;
}

function stateOf({ openUntil, failures }: Host, now: number): HostStatus['state'] {
  if (openUntil !== undefined) return openUntil > now ? 'open' : 'half-open';
  return failures > 0 ? 'degraded' : 'closed';
}
