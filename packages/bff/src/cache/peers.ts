import type { ReadPulse } from '@pulse-card/contract';
import type { Clock } from '../clock.ts';
import { LIST_ID } from '../planner/refresh-planner.ts';
import type { Failure, Gate } from '../upstream/gate.ts';
import type { SourceRows } from '../upstream/response.ts';
import { type Answer, IN_FLIGHT_ELSEWHERE } from '../upstream/upstream.ts';
import type { AccountGuard } from './account-guard.ts';
import type { Entries } from './entries.ts';
import type { RefreshResult } from './refresh.ts';

/** The list that an instance fetched, and the ids that it knows from lists. */
export interface SharedList extends SourceRows {
  readonly discovered: readonly string[];
}

/** The shared cache's entry for a subject. */
export interface SharedEntry {
  readonly pulse?: Answer<ReadPulse | null> | undefined;
  readonly list?: Answer<SharedList> | undefined;
  /** The latest failure, while no instance retries the subject. */
  readonly failure?: Failure | undefined;
}

/**
 * The cache that all instances with one key share. Never rejects and never waits long: empty while it cannot be reached. The
 * owner of an answer is its key: another account never shares one.
 */
export interface SharedCache {
  get(subject: string): Promise<SharedEntry>;
  storePulse(sourceId: string, answer: Answer<ReadPulse | null>): void;
  storeList(answer: Answer<SharedList>): void;
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
  readonly gate: Gate;
  readonly clock: Clock;
  /** How old an answer of another instance may be, in ms. */
  readonly freshForMs: number;
  /** How long the call of another instance may take, in ms. */
  readonly callMs: number;
  /** Store the answers of other instances. */
  readonly storePulse: (sourceId: string, answer: Answer<ReadPulse | null>) => void;
  readonly storeList: (answer: Answer<SourceRows>) => void;
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
  async fetchOnce(subject: string, fetch: () => Promise<RefreshResult>, onSent: () => void): Promise<RefreshResult> {
    const { clock, callMs } = this.#options;
    const until = clock.now() + callMs;
    const fencingToken = this.#fencingTokenOf(subject);
    for (;;) {
      const result = (await this.#fetchNewer(subject, fencingToken)) ?? (await fetch());
      if (result.ok || result.detail !== IN_FLIGHT_ELSEWHERE || clock.now() >= until) return result;
      onSent();
      await new Promise<void>((resolve) => void clock.schedule(POLL_EVERY_MS, resolve));
    }
  }

  publishPulse(sourceId: string, answer: Answer<ReadPulse | null>): void {
    const { account, shared } = this.#options;
    if (account.owner) shared.storePulse(sourceId, { ...answer, owner: account.owner });
  }

  publishList(answer: Answer<SourceRows>): void {
    const { account, entries, shared } = this.#options;
    const value = { ...answer.value, discovered: [...entries.ids.listed] };
    if (account.owner) shared.storeList({ ...answer, value, owner: account.owner });
  }

  publishFailure(subject: string, failure: Failure): void {
    this.#options.shared.storeFailure(subject, failure);
  }

  /** Takes over the stored entry; returns the outcome for a refresh that began at `fencingToken`, if that ends it. */
  async #fetchNewer(subject: string, fencingToken: number): Promise<RefreshResult | undefined> {
    const { clock, freshForMs, entries } = this.#options;
    const failure = await this.#takeOver(subject);
    const requestedAt = entries.of(subject)?.requestedAt;
    const isChange = this.#fencingTokenOf(subject) > fencingToken && requestedAt !== undefined;
    return isChange && clock.now() - requestedAt < freshForMs ? { ok: true } : failure;
  }

  #fencingTokenOf(subject: string): number {
    return this.#options.entries.of(subject)?.fencingToken ?? 0;
  }

  async #takeOver(subject: string): Promise<Failure | undefined> {
    const { account, entries, gate, clock, shared, storePulse, storeList } = this.#options;
    const { pulse, list, failure } = await shared.get(subject);
    if (list && list.fencingToken > this.#fencingTokenOf(LIST_ID) && account.acceptsShared(list.owner)) {
      entries.ids.addListed(list.value.discovered);
      storeList(list);
      gate.key.recordAccepted('sources');
    }
    if (pulse && this.#isNewer(subject, pulse) && account.acceptsShared(pulse.owner)) {
      storePulse(subject, pulse);
      gate.key.recordAccepted('pulse');
    }
    if (failure) gate.hold(subject, failure, clock.now());
    return failure;
  }

  /** An answer that a restart brought back has no fencing token: then the later request has the newer answer. */
  #isNewer(subject: string, { fencingToken, requestedAt }: Answer<unknown>): boolean {
    const cached = this.#options.entries.get(subject);
    return (
      cached === undefined ||
      (fencingToken > cached.fencingToken && (cached.fencingToken > 0 || requestedAt >= cached.requestedAt))
    );
  }
}
