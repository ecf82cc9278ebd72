import type { HostName, UpstreamFailure } from './port.ts';

/** Failures in a row that open the circuit of a host. */
const FAILURES_TO_OPEN = 3;

/** An error answer may be the subject's fault; on this many subjects it is the host's. */
const SUBJECTS_TO_OPEN = 2;

/** How long a circuit stays open before a trial call, where there is no other host, and where there is one. */
const OPEN_WITHOUT_ALTERNATIVE_MS = 7_000;
const OPEN_WITH_ALTERNATIVE_MS = 15_000;

/** Jitter on top, as a share, so that instances do not try together. */
const OPEN_JITTER = 0.25;

/** The wait between successful trial calls. */
const OPEN_AFTER_SUCCESS_MS = 5_000;

/** Successful trial calls in a row that close the circuit of the main host. */
const SUCCESSES_TO_RETURN = 3;

/** The shortest time from a switch of hosts to the switch back: two switches a minute at most. */
const SWITCH_HOLD_MS = 60_000;

/** A host that answered within this time counts as healthy. */
const HEALTHY_FOR_MS = 60_000;

/** The largest share of the remaining time that the first of two hosts gets. */
const HEALTHY_HOST_SHARE = 0.6;
const UNHEALTHY_HOST_SHARE = 0.4;

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
  /** Subjects that failed since the last answer. */
  readonly failedOn: Set<string>;
  trialSuccesses: number;
  /** Set while the circuit is open or half-open. */
  openUntil: number | undefined;
  lastAnswerAt: number | undefined;
  readonly responseTime: AdaptiveTimeout;
}

export interface HostFailoverOptions {
  readonly hasAlt: boolean;
  /** The deadline of a call, in ms: no second trial call is sent to a half-open host sooner. */
  readonly callMs: number;
  readonly random: () => number;
}

/**
 * Circuit breaker and failover for the two hosts. The main host is preferred until it fails and the other one answers, and
 * again after three successful trial calls. An open circuit lets one trial call through at a time.
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
   * The hosts that a call may go to now, in order: a host that has failed on `subject` since its last answer comes last.
   * Never probes a half-open host with a user-facing request while another host is healthy.
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

  /** The deadline of a call to the first of two hosts, of `leftMs` that are left for both. */
  timeoutMs(name: HostName, leftMs: number, now: number): number {
    const { lastAnswerAt, failures, responseTime } = this.#host(name);
    const isKnownHealthy = failures === 0 && lastAnswerAt !== undefined && now - lastAnswerAt < HEALTHY_FOR_MS;
    return Math.min(leftMs * (isKnownHealthy ? HEALTHY_HOST_SHARE : UNHEALTHY_HOST_SHARE), responseTime.timeoutMs);
  }

  /** Records that a call to the host is sent; a half-open host gets no other call meanwhile. */
  recordAttempt(name: HostName, now: number): void {
    const host = this.#host(name);
    if (host.openUntil !== undefined) host.openUntil = now + this.#callMs;
  }

  /** Records an answer, whatever its status; returns whether all hosts were open or half-open before. */
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
  recordFailure(
    name: HostName,
    { subject, kind }: { subject: string; kind: UpstreamFailure['kind'] },
    now: number,
  ): void {
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

  /** A host is left at its first failure where the other one is known to be healthy. */
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

/** The timeout is the mean plus this many mean deviations (RFC 6298, 2.3), doubled. */
const DEVIATIONS = 4;

/** The shortest timeout. */
const MIN_TIMEOUT_MS = 750;

/** Learns a timeout from response times, as TCP does for retransmissions (RFC 6298). */
export class AdaptiveTimeout {
  #meanMs: number | undefined;
  #deviationMs = 0;

  /** Records a response time. */
  record(ms: number): void {
    if (this.#meanMs === undefined) [this.#meanMs, this.#deviationMs] = [ms, ms / 2];
    this.#deviationMs += DEVIATION_GAIN * (Math.abs(ms - this.#meanMs) - this.#deviationMs);
    this.#meanMs += MEAN_GAIN * (ms - this.#meanMs);
  }

  /** In ms; Infinity before the first answer. */
  get timeoutMs(): number {
    if (this.#meanMs === undefined) return Infinity;
    return Math.max(MIN_TIMEOUT_MS, 2 * (this.#meanMs + DEVIATIONS * this.#deviationMs));
  }
}
