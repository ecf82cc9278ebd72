import type { Clock } from '../lib/clock.ts';
import type { Answer } from '../upstream/answer.ts';
import type { Failure } from '../upstream/failure.ts';
import { type Content, isList, LIST_ID } from '../upstream/subject.ts';
import type { Upstream } from '../upstream/upstream.ts';
import type { AccountGuard } from './account-guard.ts';
import type { Entries } from './entries.ts';
import { type Flight, refreshed, type RefreshResult } from './flight.ts';

/** The shared cache's entry for a subject. */
export interface SharedEntry {
  readonly answer?: Answer<Content> | undefined;
  /** A digest of the account that the answer belongs to; undefined if it names none. */
  readonly account?: string | undefined;
  /** The latest failure, while no instance retries the subject. */
  readonly failure?: Failure | undefined;
}

/**
 * The cache of all instances with the key in use: another key has another one. Never rejects and never waits long: empty while
 * it cannot be reached.
 */
export interface SharedCache {
  get(subject: string): Promise<SharedEntry>;
  store(subject: string, answer: Answer<Content>): void;
  storeFailure(subject: string, failure: Failure): void;
  /** Calls `listener` with each subject that an instance has stored an answer for; resolves after the call for the last one so far. */
  listen(listener: (subject: string) => void | Promise<void>): Promise<void>;
}

/** The state of this instance in the cluster. */
export interface ClusterStatus {
  /** `joined`: spends from the shared account; `lost`: spends from its own share. */
  readonly state: 'joined' | 'lost';
  /** Why Redis is lost, and what to do. */
  readonly fault: string | undefined;
  readonly advice: string | undefined;
  /** Calls a window that this instance may make while Redis is lost. */
  readonly share: number;
  /** How long Redis has been lost; 0 while it is not. */
  readonly lostForMs: number;
  /** How often it was lost since the start. */
  readonly losses: number;
  /** `maxmemory-policy` of Redis; null if it does not say. */
  readonly evictionPolicy: string | null;
}

export interface PeersOptions {
  readonly shared: SharedCache;
  readonly entries: Entries;
  readonly account: AccountGuard;
  readonly upstream: Pick<Upstream, 'recordSharedAnswer' | 'recordSharedFailure' | 'timeoutMs'>;
  readonly clock: Clock;
  /** How old an answer of another instance may be, in ms. */
  readonly freshForMs: number;
}

/** How often the shared cache is polled while another instance has the call in flight. */
const POLL_EVERY_MS = 100;

/** The other instances: takes over their answers and failures, and shares those of this one. */
export class Peers {
  readonly #options: PeersOptions;

  constructor(options: PeersOptions) {
    this.#options = options;
  }

  /** Takes over all stored answers: the list first, since it says which sources are known. */
  async start(): Promise<void> {
    const { shared, entries } = this.#options;
    await this.#takeOver(LIST_ID);
    await shared.listen(async (subject) => {
      if (subject === LIST_ID || entries.ids.has(subject)) await this.#takeOver(subject);
    });
  }

  /** The fencing token of the cached answer; undefined if an answer of another instance could not be used. */
  seenFencingToken(subject: string): number | undefined {
    return this.#options.account.isSharing ? this.#fencingTokenOf(subject) : undefined;
  }

  /** Uses the answer of another instance, or waits for its call in flight; makes a call with `fetch` if there is neither. */
  async fetchOnce(flight: Flight, fetch: () => Promise<RefreshResult>): Promise<RefreshResult> {
    const { clock, upstream } = this.#options;
    const { subject } = flight;
    const until = clock.now() + upstream.timeoutMs;
    const fencingToken = this.#fencingTokenOf(subject);
    for (;;) {
      const result = (await this.#fetchNewer(subject, fencingToken)) ?? (await fetch());
      if (result.ok || result.detail !== 'elsewhere' || clock.now() >= until) return result;
      flight.recordUnsent();
      await new Promise<void>((resolve) => void clock.schedule(POLL_EVERY_MS, resolve));
    }
  }

  /** Shares an answer, if the key in use is known to belong to its account. */
  publish(subject: string, answer: Answer<Content>): void {
    const { account, entries, shared } = this.#options;
    if (!account.isOwner) return;
    const { value } = answer;
    const stored = isList(value) ? { ...value, discovered: [...entries.ids.listed] } : value;
    shared.store(subject, { ...answer, value: stored });
  }

  publishFailure(subject: string, failure: Failure): void {
    this.#options.shared.storeFailure(subject, failure);
  }

  /** Takes over the stored entry; returns the outcome for a refresh that began at `fencingToken`, if that ends it. */
  async #fetchNewer(subject: string, fencingToken: number): Promise<RefreshResult | undefined> {
    const { clock, freshForMs, entries } = this.#options;
    const failure = await this.#takeOver(subject);
    const entry = entries.of(subject);
    if (!entry || entry.fencingToken <= fencingToken || clock.now() - entry.requestedAt >= freshForMs) return failure;
    return refreshed(entry);
  }

  #fencingTokenOf(subject: string): number {
    return this.#options.entries.of(subject)?.fencingToken ?? 0;
  }

  /** Takes over the stored entry, if the key is the same by then; returns its failure. */
  async #takeOver(subject: string): Promise<Failure | undefined> {
    const { account, entries, shared, upstream } = this.#options;
    const { keyName } = account;
    const { answer, account: owner, failure } = await shared.get(subject);
    if (keyName !== account.keyName) return undefined;
    if (answer && this.#isNewer(subject, answer) && account.acceptsShared(owner)) {
      entries.store(subject, answer);
      upstream.recordSharedAnswer(subject);
    }
    if (failure) upstream.recordSharedFailure(subject, failure);
    return failure;
  }

  /** An answer that a restart brought back has no fencing token: then the later request has the newer answer. */
  #isNewer(subject: string, { fencingToken, requestedAt }: Answer<unknown>): boolean {
    const cached = this.#options.entries.of(subject);
    return (
      cached === undefined ||
      (fencingToken > cached.fencingToken && (cached.fencingToken > 0 || requestedAt >= cached.requestedAt))
    );
  }
}
