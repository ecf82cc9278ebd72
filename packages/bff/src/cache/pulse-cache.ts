import type { Clock } from '../lib/clock.ts';
import type { RefreshPlanner } from '../planner/refresh-planner.ts';
import type { KeySource } from '../upstream/key-source.ts';
import type { Upstream } from '../upstream/upstream.ts';
import { AccountGuard } from './account-guard.ts';
import type { SavedState } from './answer-folder.ts';
import type { CacheParts } from './cache-parts.ts';
import { Entries, type EntriesOptions, type SourceSnapshot } from './entries.ts';
import type { CacheHit, FreshnessPolicy } from './freshness.ts';
import type { OpenPeers, Peers } from './peers.ts';
import { PulseReader } from './pulse-reader.ts';
import { type CacheHealth, cacheHealth } from './readiness.ts';
import { RefreshLoop } from './refresh-loop.ts';
import { Refresher } from './refresher.ts';

export interface PulseCacheOptions extends EntriesOptions {
  readonly upstream: Upstream;
  /** The key of the upstream. */
  readonly key: Pick<KeySource, 'onChange'> & { current(): { readonly name: string } };
  readonly planner: RefreshPlanner;
  readonly freshnessPolicy: FreshnessPolicy;
  readonly clock: Clock;
  /** Connects this instance with the other instances. @default this is the only instance */
  readonly openPeers?: OpenPeers | undefined;
  /** Writes a sentence for the operator to the log. */
  readonly warn: (message: string) => void;
  /** Receives the errors that a refresh throws. */
  readonly onFault: (fault: unknown) => void;
  /** Called when an answer shows that the key belongs to a different account than before. */
  readonly onPurge?: (() => void) | undefined;
}

/** The cache of the last good answers. The cached answers are refreshed on schedule and on demand. */
export class PulseCache {
  readonly parts: CacheParts;
  /** Looks up answers for readers' requests. */
  readonly reader: PulseReader;
  readonly refresher: Refresher;
  readonly #peers: Peers | undefined;
  readonly #loop: RefreshLoop;

  constructor(options: PulseCacheOptions) {
    const { upstream, key, planner, freshnessPolicy, clock, onFault } = options;
    const entries = new Entries(options);
    const account = new AccountGuard({
      folder: options.folder,
      keyName: () => key.current().name,
      onRestore: (saved) => restore(saved, entries, upstream),
      onPurge: () => purge(entries, options),
    });
    this.parts = { entries, account, upstream, planner, clock };
    this.#peers = options.openPeers?.(this.parts);
    this.refresher = new Refresher({ ...this.parts, peers: this.#peers, onFault });
    const { refresher } = this;
    this.reader = new PulseReader({ ...this.parts, refresher, freshnessPolicy });
    this.#loop = new RefreshLoop({ ...this.parts, refresher, key });
  }

  /**
   * Restores the state that an earlier process saved, takes over the answers that other instances have stored, and
   * starts to refresh.
   */
  async start(): Promise<void> {
    await this.parts.account.restore();
    this.#loop.start();
    await this.#peers?.start();
    this.#loop.requestList();
  }

  /** Ends all calls and timers. */
  async close(): Promise<void> {
    this.parts.upstream.close();
    this.#loop.stop();
    await this.refresher.allSettled();
  }

  /** The known ids. */
  get sourceIds(): readonly string[] {
    return [...this.parts.entries.ids.all];
  }

  isKnown(sourceId: string): boolean {
    return this.reader.isKnown(sourceId);
  }

  /** The cached answer for a known source, fresh or stale. */
  peek(sourceId: string): CacheHit<SourceSnapshot> | undefined {
    return this.reader.peek(sourceId);
  }

  /** Returns the readiness in constant time. */
  health(): CacheHealth {
    return cacheHealth(this.parts, this.reader);
  }
}

/** Stores the answers that an earlier process saved, unless a newer answer exists. */
function restore({ refusedAt, answers }: SavedState, entries: Entries, { apiKey }: Upstream): void {
  if (refusedAt !== undefined) apiKey.restoreRefusal(refusedAt);
  for (const [subject, answer] of answers) entries.store(subject, answer);
}

/** Forgets the sources of a different account. */
function purge(entries: Entries, { ids, upstream, planner, warn, onPurge }: PulseCacheOptions): void {
  warn('The key belongs to a different account than before: all cached answers are dropped');
  for (const id of ids.all) planner.forget(id);
  entries.clear();
  upstream.backoffs.clear();
  onPurge?.();
}
