import type { CacheParts } from '../../cache/cache-parts.ts';
import type { Peers } from '../../cache/peers.ts';
import { type Flight, refreshed, type RefreshResult } from '../../cache/flight.ts';
import type { Answer } from '../../upstream/answer.ts';
import type { Failure } from '../../upstream/failure.ts';
import { type Content, isList, LIST_ID } from '../../upstream/subject.ts';
import type { SharedCache } from './shared-cache.ts';

export interface RedisPeersOptions extends CacheParts {
  readonly shared: SharedCache;
  /** The maximum age of another instance's answer, in ms. */
  readonly freshForMs: number;
}

/** The time between two reads of the shared cache while another instance has the call in flight. */
const POLL_EVERY_MS = 100;

/**
 * The other instances that use the same Redis server. Takes over answers and failures from other instances, and shares
 * this instance's own.
 */
export class RedisPeers implements Peers {
  readonly #options: RedisPeersOptions;
  /** The fencing tokens at the start of the current refreshes. */
  readonly #seenTokens = new Map<string, number>();

  constructor(options: RedisPeersOptions) {
    this.#options = options;
  }

  /** Takes over all stored answers. The list comes first, because it determines which sources are known. */
  async start(): Promise<void> {
    const { shared, entries } = this.#options;
    await this.#takeOver(LIST_ID);
    await shared.listen(async (subject) => {
      if (subject === LIST_ID || entries.ids.has(subject)) await this.#takeOver(subject);
    });
  }

  /**
   * The fencing token of the cached answer when its refresh began. Undefined if another instance's answer couldn't be
   * used.
   */
  seenFencingToken(subject: string): number | undefined {
    return this.#options.account.takesSharedAnswers ? this.#seenTokens.get(subject) : undefined;
  }

  async fetchOnce(flight: Flight, fetch: () => Promise<RefreshResult>): Promise<RefreshResult> {
    const { clock, upstream } = this.#options;
    const { subject } = flight;
    const until = clock.now() + upstream.timeoutMs;
    const fencingToken = this.#fencingTokenOf(subject);
    for (;;) {
      const result = (await this.#fetchNewer(subject, fencingToken)) ?? (await this.#fetch(subject, fetch));
      if (result.ok || result.detail !== 'elsewhere' || clock.now() >= until) return result;
      flight.recordUnsent();
      await new Promise<void>((resolve) => void clock.schedule(POLL_EVERY_MS, resolve));
    }
  }

  publish(subject: string, answer: Answer<Content>): void {
    const { account, entries, shared } = this.#options;
    if (!account.isKeyOfAccount) return;
    const { value } = answer;
    const stored = isList(value) ? { ...value, discovered: [...entries.ids.listed] } : value;
    shared.store(subject, { ...answer, value: stored });
  }

  publishFailure(subject: string, failure: Failure): void {
    this.#options.shared.storeFailure(subject, failure);
  }

  async #fetch(subject: string, fetch: () => Promise<RefreshResult>): Promise<RefreshResult> {
    this.#seenTokens.set(subject, this.#fencingTokenOf(subject));
    return fetch().finally(() => this.#seenTokens.delete(subject));
  }

  /**
   * Takes over the stored entry. Returns the outcome for a refresh that began at `fencingToken`, if the stored entry
   * ends that refresh.
   */
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

  /** Takes over the stored entry, provided that the key is still the same. Returns the entry's failure. */
  async #takeOver(subject: string): Promise<Failure | undefined> {
    const { account, entries, shared, upstream } = this.#options;
    const { keyName } = account;
    const { answer, account: owner, failure } = await shared.get(subject);
    if (keyName !== account.keyName) return undefined;
    if (answer && this.#isNewer(subject, answer) && account.bindToShared(owner)) {
      entries.store(subject, answer);
      upstream.apiKey.recordAccepted(subject);
      upstream.backoffs.recordSuccess(subject);
    }
    if (failure) this.#recordFailure(subject, failure);
    return failure;
  }

  /** If another instance has a backoff, or its key was refused, the same applies to this instance. */
  #recordFailure(subject: string, failure: Failure): void {
    const { clock, upstream } = this.#options;
    const { apiKey, backoffs } = upstream;
    const now = clock.now();
    const { code, status, retryInMs } = failure;
    backoffs.recordFailure(subject, failure, now, retryInMs);
    const isRefusal = code === 'upstream_auth' && (status === 401 || status === 403);
    if (isRefusal && apiKey.refusedForMs(subject, now) === undefined) apiKey.recordRefusal(subject, status, now);
  }

  /**
   * An answer that was restored after a restart has no fencing token. In this case, the answer to the later request is
   * newer.
   */
  #isNewer(subject: string, { fencingToken, requestedAt }: Answer<unknown>): boolean {
    const cached = this.#options.entries.of(subject);
    return (
      cached === undefined ||
      (fencingToken > cached.fencingToken && (cached.fencingToken > 0 || requestedAt >= cached.requestedAt))
    );
  }
}
