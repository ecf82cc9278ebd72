import type { Clock } from '../clock.ts';
import { LIST_ID } from '../planner/refresh-planner.ts';
import type { Failure } from '../upstream/gate.ts';
import { type Answer, IN_FLIGHT_ELSEWHERE, type Upstream } from '../upstream/upstream.ts';
import type { AccountGuard } from './account-guard.ts';
import type { CacheStore } from './cache-store.ts';
import type { SharedCache, SharedFailure, SharedList, SharedPulse } from './port.ts';
import type { Peers, Refresher, RefreshResult } from './refresh.ts';
import type { FlightContext } from './single-flight.ts';

type RequestInfo = Omit<Answer<unknown>, 'value' | 'owner'>;

export interface PeerSyncOptions {
  readonly shared: SharedCache;
  readonly store: CacheStore;
  /** Stores what other instances have brought. */
  readonly refresher: Pick<Refresher, 'storePulse' | 'storeList'>;
  readonly account: AccountGuard;
  readonly upstream: Upstream;
  readonly clock: Clock;
  /** How old an answer of another instance may be, in ms. */
  readonly freshForMs: number;
}

/** How often the shared cache is polled while another instance has the call in flight. */
const POLL_EVERY_MS = 100;

/** Takes over the answers and failures of other instances, and shares those of this one. */
export class PeerSync implements Peers {
  readonly #options: PeerSyncOptions;

  constructor(options: PeerSyncOptions) {
    this.#options = options;
  }

  /** Takes over what is stored: the list first, since it says which sources are known. */
  async start(): Promise<void> {
    const { shared, store } = this.#options;
    await this.#takeOver(LIST_ID);
    await shared.listen(async (subject) => {
      if (subject === LIST_ID || store.ids.has(subject)) await this.#takeOver(subject);
    });
  }

  seenFencingToken(subject: string): number | undefined {
    return this.#options.account.isSharing ? this.#fencingTokenOf(subject) : undefined;
  }

  /** Uses the answer of another instance, or waits for its call in flight; makes a call with `fetch` where there is neither. */
  async fetchOnce(
    subject: string,
    fetch: () => Promise<RefreshResult>,
    { onSent }: FlightContext,
  ): Promise<RefreshResult> {
    const { clock, upstream } = this.#options;
    const until = clock.now() + upstream.timeoutMs;
    const fencingToken = this.#fencingTokenOf(subject);
    for (;;) {
      const result = (await this.#fetchNewer(subject, fencingToken)) ?? (await fetch());
      if (result.ok || result.detail !== IN_FLIGHT_ELSEWHERE || clock.now() >= until) return result;
      onSent();
      await new Promise<void>((resolve) => void clock.schedule(POLL_EVERY_MS, resolve));
    }
  }

  publishPulse(sourceId: string, { requestedAt, requestedAtMs, fencingToken }: RequestInfo): void {
    const { store, account, shared } = this.#options;
    const pulse = store.entry(sourceId)?.value.pulse;
    const keyName = account.owner?.keyName;
    if (pulse === undefined || keyName === undefined) return;
    shared.storePulse(sourceId, { pulse, requestedAt, requestedAtMs, fencingToken, keyName });
  }

  publishList(): void {
    const { store, account, shared } = this.#options;
    const keyName = account.owner?.keyName;
    if (!store.list || keyName === undefined) return;
    const { value, requestedAt, fencingToken, unreadableRows } = store.list;
    const { requestedAtMs, sources: rows } = value;
    const discovered = [...store.ids.listed];
    shared.storeList({ rows, unreadableRows, discovered, requestedAt, requestedAtMs, fencingToken, keyName });
  }

  publishFailure(subject: string, { code, detail, status }: Failure, retryInMs: number): void {
    this.#options.shared.storeFailure(subject, { code, detail, status, retryInMs });
  }

  /** Takes over what is stored; returns the outcome for a refresh that began at `fencingToken`, if that ends it. */
  async #fetchNewer(subject: string, fencingToken: number): Promise<RefreshResult | undefined> {
    const { clock, freshForMs, store } = this.#options;
    const failure = await this.#takeOver(subject);
    const requestedAt = store.entryOf(subject)?.requestedAt;
    const isChange = this.#fencingTokenOf(subject) > fencingToken && requestedAt !== undefined;
    return isChange && clock.now() - requestedAt < freshForMs ? { ok: true } : failure;
  }

  #fencingTokenOf(subject: string): number {
    return this.#options.store.entryOf(subject)?.fencingToken ?? 0;
  }

  async #takeOver(subject: string): Promise<Failure | undefined> {
    const { pulse, list, failure } = await this.#options.shared.get(subject);
    if (list && list.fencingToken > this.#fencingTokenOf(subject)) this.#applyList(list);
    if (pulse && this.#isNewer(subject, pulse)) this.#applyPulse(subject, pulse);
    return failure && this.#applyFailure(subject, failure);
  }

  /** A restored entry has no fencing token: then the later request has the newer answer. */
  #isNewer(subject: string, { fencingToken, requestedAt }: SharedPulse): boolean {
    const cached = this.#options.store.entry(subject);
    return (
      cached === undefined ||
      (fencingToken > cached.fencingToken && (cached.fencingToken > 0 || requestedAt >= cached.requestedAt))
    );
  }

  #applyList(list: SharedList): void {
    const { account, store, refresher, upstream } = this.#options;
    if (!account.acceptsShared(list.keyName)) return;
    store.ids.addListed(list.discovered);
    refresher.storeList(list, list, list.requestedAt);
    upstream.gate.key.recordAccepted('sources');
  }

  #applyPulse(sourceId: string, answer: SharedPulse): void {
    const { account, refresher, upstream } = this.#options;
    if (!account.acceptsShared(answer.keyName)) return;
    refresher.storePulse(sourceId, answer.pulse, answer, answer.requestedAt);
    upstream.gate.key.recordAccepted('pulse');
  }

  #applyFailure(subject: string, { code, detail, status, retryInMs }: SharedFailure): Failure {
    const { upstream, clock } = this.#options;
    const failure = { ok: false, code, detail, retryInMs, attempted: true, ...(status && { status }) } as const;
    upstream.gate.hold(subject, failure, clock.now());
    return failure;
  }
}
