import type { HostName, UpstreamFailure } from '../upstream/port.ts';
import { AnswerTimes } from './answer-times.ts';

/** This many failures in a row, and a host rests. */
const FAILURES_TO_REST = 3;

/** An answer that is a failure may be the fault of what was asked for; on this many subjects it is the host's. */
const SUBJECTS_TO_REST = 2;

/** How long a host rests before one call may try it, where it is the only one, and where there is another. */
const REST_ALONE_MS = 7_000;
const REST_BESIDE_MS = 15_000;

/** Part of a rest that chance adds, so that instances do not try together. */
const REST_JITTER = 0.25;

/** After a good try the next follows sooner. */
const REST_AFTER_GOOD_MS = 5_000;

/** Good tries in a row that bring the main host back. */
const GOOD_TRIES_TO_RETURN = 3;

/** A switch back to the main host comes no sooner than this after the last switch: two a minute at most. */
const SWITCH_REST_MS = 60_000;

/** A host that answered within this time is known to be good. */
const KNOWN_GOOD_MS = 60_000;

/** Part of the time left that the first of two hosts gets at the most: more where it is known to be good. */
const SHARE_OF_GOOD_HOST = 0.6;
const SHARE_OF_DOUBTFUL_HOST = 0.4;

/** How a host stands. */
export interface HostStatus {
  readonly host: HostName;
  readonly state: 'well' | 'failing' | 'resting' | 'on-trial';
  readonly preferred: boolean;
  readonly failuresInARow: number;
  readonly lastAnswerAt: number | undefined;
  /** How long until a call may try it again, or 0. */
  readonly restsForMs: number;
}

interface Host {
  readonly name: HostName;
  failures: number;
  /** What was asked for in vain since the last answer. */
  readonly failedOn: Set<string>;
  goodTries: number;
  /** Set while it rests, or while it has not yet won its place back. */
  restsUntil: number | undefined;
  lastAnswerAt: number | undefined;
  readonly pace: AnswerTimes;
}

/** What a host failed on, and how. */
export interface HostFailure {
  readonly subject: string;
  readonly kind: UpstreamFailure['kind'];
}

export interface HostChoiceOptions {
  readonly hasAlt: boolean;
  /** The most that a call takes: how long a host on trial is asked by nobody else, in ms. */
  readonly callMs: number;
  readonly random: () => number;
}

/**
 * Which host to ask: the main one, until it fails and the other answers; back after three good tries. A host that fails
 * again and again rests, and is then tried by one call at a time.
 */
export class HostChoice {
  readonly #hosts: readonly Host[];
  readonly #callMs: number;
  readonly #random: () => number;
  #preferred: HostName = 'main';
  #switchedAt = -Infinity;

  constructor({ hasAlt, callMs, random }: HostChoiceOptions) {
    this.#callMs = callMs;
    this.#random = random;
    const names: HostName[] = hasAlt ? ['main', 'alt'] : ['main'];
    this.#hosts = names.map((name) => ({
      name,
      failures: 0,
      failedOn: new Set(),
      goodTries: 0,
      restsUntil: undefined,
      lastAnswerAt: undefined,
      pace: new AnswerTimes(),
    }));
  }

  /**
   * The hosts that a call may ask now, in order: a host that has failed on `subject` since its last answer comes after one
   * that has not. A reader who waits is not used for a trial while another host is well.
   */
  order(now: number, { readerWaits, subject = '' }: { readerWaits: boolean; subject?: string }): readonly HostName[] {
    const awake = this.#hosts.filter(({ restsUntil }) => restsUntil === undefined || restsUntil <= now);
    const well = awake.filter(({ restsUntil }) => restsUntil === undefined);
    const onTrial = awake.filter(({ restsUntil }) => restsUntil !== undefined);
    const rank = ({ name, failedOn }: Host): number =>
      2 * Number(failedOn.has(subject)) + Number(name !== this.#preferred);
    const sorted = well.toSorted((a, b) => rank(a) - rank(b));
    const order = readerWaits ? [...sorted, ...onTrial] : [...onTrial, ...sorted];
    return order.map(({ name }) => name);
  }

  /** How long until any host may be asked; 0 where one may be asked now. */
  restsForMs(now: number): number {
    return Math.max(0, Math.min(...this.#hosts.map(({ restsUntil }) => (restsUntil ?? now) - now)));
  }

  /** Says whether every host rests or is on trial: none has answered since. */
  isDark(): boolean {
    return this.#hosts.every(({ restsUntil }) => restsUntil !== undefined);
  }

  /** Says whether the host that a reader's call would go to has answered last time. */
  isWell(now: number): boolean {
    const [first] = this.order(now, { readerWaits: true });
    return first !== undefined && this.#host(first).failures === 0;
  }

  /** How long the first of two hosts is waited for, of `leftMs`, before the other is asked. */
  patienceMs(name: HostName, leftMs: number, now: number): number {
    const { lastAnswerAt, failures, pace } = this.#host(name);
    const isKnownGood = failures === 0 && lastAnswerAt !== undefined && now - lastAnswerAt < KNOWN_GOOD_MS;
    return Math.min(leftMs * (isKnownGood ? SHARE_OF_GOOD_HOST : SHARE_OF_DOUBTFUL_HOST), pace.patienceMs);
  }

  /** Takes in that a call to the host leaves: one on trial is asked by nobody else meanwhile. */
  asked(name: HostName, now: number): void {
    const host = this.#host(name);
    if (host.restsUntil !== undefined) host.restsUntil = now + this.#callMs;
  }

  /** Takes in that the host answered, whatever it said; true where that ends a time in which no host could be asked. */
  answered(name: HostName, now: number, tookMs: number): boolean {
    const host = this.#host(name);
    host.pace.took(tookMs);
    const hadFailed = host.failures > 0;
    const wasDark = this.isDark();
    host.failures = 0;
    host.failedOn.clear();
    host.lastAnswerAt = now;
    if (host.restsUntil !== undefined) this.#passedTrial(host, now);
    if (!hadFailed && name !== this.#preferred && this.#host(this.#preferred).failures > 0) this.#prefer(name, now);
    return wasDark;
  }

  /** Takes in that the host could not be reached, was too slow, or answered with a failure of its own. */
  failed(name: HostName, { subject, kind }: HostFailure, now: number): void {
    const host = this.#host(name);
    host.failures += 1;
    host.failedOn.add(subject);
    host.goodTries = 0;
    const isSilent = kind === 'unreachable' || kind === 'timed-out';
    const isAtFault = isSilent || host.failedOn.size >= SUBJECTS_TO_REST;
    const isEnough = host.failures >= FAILURES_TO_REST || this.#mayDoWithout(host);
    if (host.restsUntil !== undefined || (isAtFault && isEnough)) host.restsUntil = now + this.#restMs();
  }

  status(now: number): readonly HostStatus[] {
    return this.#hosts.map((host) => ({
      host: host.name,
      state: stateOf(host, now),
      preferred: host.name === this.#preferred,
      failuresInARow: host.failures,
      lastAnswerAt: host.lastAnswerAt,
      restsForMs: Math.max(0, (host.restsUntil ?? now) - now),
    }));
  }

  #passedTrial(host: Host, now: number): void {
    host.goodTries += 1;
    const isNeeded = this.#hosts.every((other) => other === host || other.restsUntil !== undefined);
    const isProven = host.goodTries >= GOOD_TRIES_TO_RETURN && now - this.#switchedAt >= SWITCH_REST_MS;
    if (!isNeeded && !isProven) {
      host.restsUntil = now + REST_AFTER_GOOD_MS;
      return;
    }
    host.restsUntil = undefined;
    host.goodTries = 0;
    if (host.name === 'main' || isNeeded) this.#prefer(host.name, now);
  }

  /** A host that is down is left at its first failure where the other is known to be well. */
  #mayDoWithout(host: Host): boolean {
    return this.#hosts.some(
      (other) =>
        other !== host && other.restsUntil === undefined && other.failures === 0 && other.lastAnswerAt !== undefined,
    );
  }

  #prefer(name: HostName, now: number): void {
    if (name === this.#preferred) return;
    this.#preferred = name;
    this.#switchedAt = now;
    for (const host of this.#hosts)
      if (host.name !== name && host.failures > 0) host.restsUntil ??= now + this.#restMs();
  }

  #restMs(): number {
    const restMs = this.#hosts.length > 1 ? REST_BESIDE_MS : REST_ALONE_MS;
    return restMs * (1 + REST_JITTER * this.#random());
  }

  #host(name: HostName): Host {
    const host = this.#hosts.find((candidate) => candidate.name === name);
    if (!host) throw new RangeError(`Cannot choose a host: there is no "${name}"`);
    return host;
  }
}

function stateOf({ restsUntil, failures }: Host, now: number): HostStatus['state'] {
  if (restsUntil !== undefined) return restsUntil > now ? 'resting' : 'on-trial';
  return failures > 0 ? 'failing' : 'well';
}
