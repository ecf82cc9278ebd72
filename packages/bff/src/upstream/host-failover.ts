import type { HostName, UpstreamFailure } from './port.ts';

/** This many failures in a row, and a host rests. */
const FAILURES_TO_OPEN = 3;

/** An answer that is a failure may be the fault of what was asked for; on this many subjects it is the host's. */
const SUBJECTS_TO_OPEN = 2;

/** How long a host rests before one call may try it, where it is the only one, and where there is another. */
const OPEN_WITHOUT_ALTERNATIVE_MS = 7_000;
const OPEN_WITH_ALTERNATIVE_MS = 15_000;

/** Part of a rest that chance adds, so that instances do not try together. */
const OPEN_JITTER = 0.25;

/** After a good try the next follows sooner. */
const OPEN_AFTER_SUCCESS_MS = 5_000;

/** Good tries in a row that bring the main host back. */
const SUCCESSES_TO_RETURN = 3;

/** A switch back to the main host comes no sooner than this after the last switch: two a minute at most. */
const SWITCH_HOLD_MS = 60_000;

/** A host that answered within this time is known to be good. */
const HEALTHY_FOR_MS = 60_000;

/** Part of the time left that the first of two hosts gets at the most: more where it is known to be good. */
const HEALTHY_HOST_SHARE = 0.6;
const UNHEALTHY_HOST_SHARE = 0.4;

/** How a host stands. */
export interface HostStatus {
  readonly host: HostName;
  readonly state: 'closed' | 'degraded' | 'open' | 'half-open';
  readonly preferred: boolean;
  readonly consecutiveFailures: number;
  readonly lastAnswerAt: number | undefined;
  /** How long until a call may try it again, or 0. */
  readonly openForMs: number;
}

interface Host {
  readonly name: HostName;
  failures: number;
  /** What was asked for in vain since the last answer. */
  readonly failedOn: Set<string>;
  trialSuccesses: number;
  /** Set while it rests, or while it has not yet won its place back. */
  openUntil: number | undefined;
  lastAnswerAt: number | undefined;
  readonly responseTime: AdaptiveTimeout;
}

/** What a host failed on, and how. */
export interface HostFailure {
  readonly subject: string;
  readonly kind: UpstreamFailure['kind'];
}

export interface HostFailoverOptions {
  readonly hasAlt: boolean;
  /** The most that a call takes: how long a host on trial is asked by nobody else, in ms. */
  readonly callMs: number;
  readonly random: () => number;
}

/**
 * Which host to ask: the main one, until it fails and the other answers; back after three good tries. A host that fails
 * again and again rests, and is then tried by one call at a time.
 */
export class HostFailover {
  readonly #hosts: readonly Host[];
  readonly #callMs: number;
  readonly #random: () => number;
  #preferred: HostName = 'main';
  #switchedAt = -Infinity;

  constructor({ hasAlt, callMs, random }: HostFailoverOptions) {
    this.#callMs = callMs;
    this.#random = random;
    const names: HostName[] = hasAlt ? ['main', 'alt'] : ['main'];
    this.#hosts = names.map((name) => ({
      name,
      failures: 0,
      failedOn: new Set(),
      trialSuccesses: 0,
      openUntil: undefined,
      lastAnswerAt: undefined,
      responseTime: new AdaptiveTimeout(),
    }));
  }

  /**
   * The hosts that a call may ask now, in order: a host that has failed on `subject` since its last answer comes after one
   * that has not. A reader who waits is not used for a trial while another host is well.
   */
  order(now: number, { isUserFacing, subject = '' }: { isUserFacing: boolean; subject?: string }): readonly HostName[] {
    const awake = this.#hosts.filter(({ openUntil }) => openUntil === undefined || openUntil <= now);
    const well = awake.filter(({ openUntil }) => openUntil === undefined);
    const halfOpen = awake.filter(({ openUntil }) => openUntil !== undefined);
    const rank = ({ name, failedOn }: Host): number =>
      2 * Number(failedOn.has(subject)) + Number(name !== this.#preferred);
    const sorted = well.toSorted((a, b) => rank(a) - rank(b));
    const order = isUserFacing ? [...sorted, ...halfOpen] : [...halfOpen, ...sorted];
    return order.map(({ name }) => name);
  }

  /** How long until any host may be asked; 0 where one may be asked now. */
  openForMs(now: number): number {
    return Math.max(0, Math.min(...this.#hosts.map(({ openUntil }) => (openUntil ?? now) - now)));
  }

  /** Returns whether every host rests or is on trial: none has answered since. */
  allHostsDown(): boolean {
    return this.#hosts.every(({ openUntil }) => openUntil !== undefined);
  }

  /** Returns whether the host that a reader's call would go to has answered last time. */
  isHealthy(now: number): boolean {
    const [first] = this.order(now, { isUserFacing: true });
    return first !== undefined && this.#host(first).failures === 0;
  }

  /** How long the first of two hosts is waited for, of `leftMs`, before the other is asked. */
  timeoutMs(name: HostName, leftMs: number, now: number): number {
    const { lastAnswerAt, failures, responseTime } = this.#host(name);
    const isKnownHealthy = failures === 0 && lastAnswerAt !== undefined && now - lastAnswerAt < HEALTHY_FOR_MS;
    return Math.min(leftMs * (isKnownHealthy ? HEALTHY_HOST_SHARE : UNHEALTHY_HOST_SHARE), responseTime.timeoutMs);
  }

  /** Records that a call to the host leaves: one on trial is asked by nobody else meanwhile. */
  recordAttempt(name: HostName, now: number): void {
    const host = this.#host(name);
    if (host.openUntil !== undefined) host.openUntil = now + this.#callMs;
  }

  /** Records that the host answered, whatever it said; true where that ends a time in which no host could be asked. */
  recordSuccess(name: HostName, now: number, tookMs: number): boolean {
    const host = this.#host(name);
    host.responseTime.record(tookMs);
    const hadFailed = host.failures > 0;
    const wereAllHostsDown = this.allHostsDown();
    host.failures = 0;
    host.failedOn.clear();
    host.lastAnswerAt = now;
    if (host.openUntil !== undefined) this.#closeCircuit(host, now);
    if (!hadFailed && name !== this.#preferred && this.#host(this.#preferred).failures > 0) this.#prefer(name, now);
    return wereAllHostsDown;
  }

  /** Records that the host could not be reached, was too slow, or answered with a failure of its own. */
  recordFailure(name: HostName, { subject, kind }: HostFailure, now: number): void {
    const host = this.#host(name);
    host.failures += 1;
    host.failedOn.add(subject);
    host.trialSuccesses = 0;
    const hasTimedOut = kind === 'unreachable' || kind === 'timed-out';
    const isAtFault = hasTimedOut || host.failedOn.size >= SUBJECTS_TO_OPEN;
    const isEnough = host.failures >= FAILURES_TO_OPEN || this.#hasHealthyAlternative(host);
    if (host.openUntil !== undefined || (isAtFault && isEnough)) host.openUntil = now + this.#openMs();
  }

  status(now: number): readonly HostStatus[] {
    return this.#hosts.map((host) => ({
      host: host.name,
      state: stateOf(host, now),
      preferred: host.name === this.#preferred,
      consecutiveFailures: host.failures,
      lastAnswerAt: host.lastAnswerAt,
      openForMs: Math.max(0, (host.openUntil ?? now) - now),
    }));
  }

  #closeCircuit(host: Host, now: number): void {
    host.trialSuccesses += 1;
    const isNeeded = this.#hosts.every((other) => other === host || other.openUntil !== undefined);
    const isProven = host.trialSuccesses >= SUCCESSES_TO_RETURN && now - this.#switchedAt >= SWITCH_HOLD_MS;
    if (!isNeeded && !isProven) {
      host.openUntil = now + OPEN_AFTER_SUCCESS_MS;
      return;
    }
    host.openUntil = undefined;
    host.trialSuccesses = 0;
    if (host.name === 'main' || isNeeded) this.#prefer(host.name, now);
  }

  /** A host that is down is left at its first failure where the other is known to be well. */
  #hasHealthyAlternative(host: Host): boolean {
    return this.#hosts.some(
      (other) =>
        other !== host && other.openUntil === undefined && other.failures === 0 && other.lastAnswerAt !== undefined,
    );
  }

  #prefer(name: HostName, now: number): void {
    if (name === this.#preferred) return;
    this.#preferred = name;
    this.#switchedAt = now;
    for (const host of this.#hosts)
      if (host.name !== name && host.failures > 0) host.openUntil ??= now + this.#openMs();
  }

  #openMs(): number {
    const openMs = this.#hosts.length > 1 ? OPEN_WITH_ALTERNATIVE_MS : OPEN_WITHOUT_ALTERNATIVE_MS;
    return openMs * (1 + OPEN_JITTER * this.#random());
  }

  #host(name: HostName): Host {
    const host = this.#hosts.find((candidate) => candidate.name === name);
    if (!host) throw new RangeError(`Cannot choose a host: there is no "${name}"`);
    return host;
  }
}

function stateOf({ openUntil, failures }: Host, now: number): HostStatus['state'] {
  if (openUntil !== undefined) return openUntil > now ? 'open' : 'half-open';
  return failures > 0 ? 'degraded' : 'closed';
}

/** How much the latest answer moves the mean, and the latest deviation the mean deviation (RFC 6298, 2.3). */
const MEAN_GAIN = 1 / 8;
const DEVIATION_GAIN = 1 / 4;

/** An answer that takes longer than the mean and this many mean deviations is not coming (RFC 6298, 2.3). */
const DEVIATIONS = 4;

/** Nobody is given up sooner. */
const MIN_TIMEOUT_MS = 750;

/** How long a host's answers take, as TCP learns how long to wait for an acknowledgement. */
export class AdaptiveTimeout {
  #meanMs: number | undefined;
  #deviationMs = 0;

  /** Records that an answer took so long. */
  record(ms: number): void {
    if (this.#meanMs === undefined) [this.#meanMs, this.#deviationMs] = [ms, ms / 2];
    this.#deviationMs += DEVIATION_GAIN * (Math.abs(ms - this.#meanMs) - this.#deviationMs);
    this.#meanMs += MEAN_GAIN * (ms - this.#meanMs);
  }

  /** How long it makes sense to wait for an answer; without end where none was ever seen. */
  get timeoutMs(): number {
    if (this.#meanMs === undefined) return Infinity;
    return Math.max(MIN_TIMEOUT_MS, 2 * (this.#meanMs + DEVIATIONS * this.#deviationMs));
  }
}
