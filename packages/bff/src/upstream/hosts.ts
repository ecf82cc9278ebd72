import type { CallFailure } from './classify-response.ts';

/** The two hosts of the service, as described on the first page of the spec. */
export type HostName = 'main' | 'alt';

/**
 * A host's circuit opens after this many consecutive failures. One failure is enough if the last call to the other host
 * didn't fail.
 */
const FAILURES_TO_OPEN = 3;

/** How long a circuit stays open before a probe, if the other host answers. */
const OPEN_MS = 15_000;

/**
 * How long a circuit stays open before a probe, if no host answers. This time is shorter, because the first probe may
 * be about a subject that always fails. Only the second probe is then about a different subject.
 */
const ALL_OPEN_MS = 7_500;

/** The state of a host. */
export interface HostStatus {
  readonly host: HostName;
  readonly state: 'closed' | 'degraded' | 'open' | 'half-open';
  readonly preferred: boolean;
  readonly consecutiveFailures: number;
  readonly lastAnswerAt: number | undefined;
  /** How long until a probe may be sent, or 0. */
  readonly openForMs: number;
  /** How the last call failed; null if it was answered. */
  readonly failure: CallFailure | null;
}

/** The circuit of a host: closed, open until a given time, or half-open after that time. */
interface Circuit {
  readonly host: HostName;
  readonly failures: number;
  /**
   * Undefined while the circuit is closed. A probe sets `openUntil` to its own deadline, so that only one probe runs at
   * a time.
   */
  readonly openUntil: number | undefined;
  readonly lastAnswerAt: number | undefined;
  readonly failure: CallFailure | null;
}

/** Circuit breakers and failover for the two hosts. Calls go to the main host while its circuit is closed. */
export class Hosts {
  readonly #circuits: Map<HostName, Circuit>;
  readonly #callMs: number;

  /** `callMs`: the deadline of a call, in ms. */
  constructor({ hasAlt, callMs }: { readonly hasAlt: boolean; readonly callMs: number }) {
    const hosts: readonly HostName[] = hasAlt ? ['main', 'alt'] : ['main'];
    this.#circuits = new Map(hosts.map((host) => [host, closedCircuit(host)]));
    this.#callMs = callMs;
  }

  /**
   * The hosts that a call may go to now, in order. User-facing calls try half-open hosts last. Planned calls try
   * half-open hosts first.
   */
  order(now: number, { isAwaited }: { readonly isAwaited: boolean }): readonly HostName[] {
    const closed = this.#all.filter(({ openUntil }) => openUntil === undefined);
    const halfOpen = this.#all.filter((circuit) => isHalfOpen(circuit, now));
    const order = isAwaited ? [...closed, ...halfOpen] : [...halfOpen, ...closed];
    return order.map(({ host }) => host);
  }

  /** How long until a call may go to any host, or 0. */
  openForMs(now: number): number {
    return Math.max(0, Math.min(...this.#all.map(({ openUntil }) => (openUntil ?? now) - now)));
  }

  /** Whether every host is open or half-open. */
  areAllDown(): boolean {
    return this.#all.every(({ openUntil }) => openUntil !== undefined);
  }

  /** Returns whether the next awaited call would go to a host whose last call didn't fail. */
  isHealthy(now: number): boolean {
    const [first] = this.order(now, { isAwaited: true });
    return first !== undefined && this.#circuit(first).failures === 0;
  }

  /** Records that a call to the host is sent. If the host is half-open, this call is its probe. */
  recordAttempt(host: HostName, now: number): void {
    const circuit = this.#circuit(host);
    if (circuit.openUntil !== undefined) this.#circuits.set(host, { ...circuit, openUntil: now + this.#callMs });
  }

  /**
   * Records an answer. An answer closes the circuit, regardless of its status. Returns whether all hosts were down
   * before.
   */
  recordAnswer(host: HostName, now: number): boolean {
    const wereAllDown = this.areAllDown();
    this.#circuits.set(host, { ...closedCircuit(host), lastAnswerAt: now });
    return wereAllDown;
  }

  /** Records that the host was unreachable, was too slow, or gave no usable answer. */
  recordFailure(host: HostName, now: number, failure: CallFailure | null = null): void {
    const circuit = this.#circuit(host);
    const failures = circuit.failures + 1;
    const opens =
      circuit.openUntil !== undefined ||
      failures >= FAILURES_TO_OPEN ||
      this.#all.some((other) => other !== circuit && other.failures === 0);
    const openMs = this.#all.some((other) => other !== circuit && other.openUntil === undefined)
      ? OPEN_MS
      : ALL_OPEN_MS;
    this.#circuits.set(host, { ...circuit, failures, failure, openUntil: opens ? now + openMs : undefined });
  }

  status(now: number): readonly HostStatus[] {
    const preferred = this.#all.find(({ openUntil }) => openUntil === undefined)?.host ?? 'main';
    return this.#all.map((circuit) => ({
      host: circuit.host,
      state: stateOf(circuit, now),
      preferred: circuit.host === preferred,
      consecutiveFailures: circuit.failures,
      lastAnswerAt: circuit.lastAnswerAt,
      openForMs: Math.max(0, (circuit.openUntil ?? now) - now),
      failure: circuit.failure,
    }));
  }

  get #all(): readonly Circuit[] {
    return [...this.#circuits.values()];
  }

  #circuit(host: HostName): Circuit {
    const circuit = this.#circuits.get(host);
    if (!circuit) throw new RangeError(`Cannot choose a host: no host is named "${host}"`);
    return circuit;
  }
}

function closedCircuit(host: HostName): Circuit {
  return { host, failures: 0, openUntil: undefined, lastAnswerAt: undefined, failure: null };
}

function isHalfOpen({ openUntil }: Circuit, now: number): boolean {
  return openUntil !== undefined && openUntil <= now;
}

function stateOf(circuit: Circuit, now: number): HostStatus['state'] {
  if (circuit.openUntil === undefined) return circuit.failures > 0 ? 'degraded' : 'closed';
  return isHalfOpen(circuit, now) ? 'half-open' : 'open';
}
