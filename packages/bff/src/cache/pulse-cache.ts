import type { CallLedger } from '../budget/call-ledger.ts';
import type { Clock } from '../clock.ts';
import { LIST_ID, type RefreshPlanner } from '../freshness/refresh-planner.ts';
import type { Verdict } from '../freshness/verdict.ts';
import type { Upstream } from '../upstream/port.ts';
import { AccountGuard } from './account-guard.ts';
import { cacheHealth, cacheStatus, type HealthParts } from './cache-status.ts';
import type { CacheObserver } from './call-report.ts';
import { Caller } from './caller.ts';
import { Crowd } from './crowd.ts';
import { HostChoice } from './host-choice.ts';
import { KeyHealth } from './key-health.ts';
import { inTime } from './in-time.ts';
import { KnownSources, type SourceRule } from './known-sources.ts';
import { ListReader } from './list-reader.ts';
import { Memory, type Restored } from './memory.ts';
import { News } from './news.ts';
import type { CacheFacts, Card, Known, PulseCache, Reading, SourceList } from './port.ts';
import { Others } from './others.ts';
import { factsOf, failedReading, NOTHING_YET, readingOf } from './reading.ts';
import { Refresher } from './refresher.ts';
import { startRefreshLoop } from './refresh-loop.ts';
import { RestBook } from './rest-book.ts';
import type { SharedAnswers } from './shared-answers.ts';
import { openStateFiles } from './state-files.ts';
import type { CacheHealth, CacheStatus } from './status.ts';
import { type Lifetimes, trustIn } from './trust.ts';

export interface PulseCacheOptions extends Lifetimes {
  readonly upstream: Upstream;
  readonly ledger: CallLedger;
  readonly planner: RefreshPlanner;
  readonly clock: Clock;
  /** From 0 up to, not including, 1. @default Math.random */
  readonly random?: () => number;
  readonly sources: SourceRule;
  /** Whether the upstream has a second host. @default false */
  readonly hasAltHost?: boolean;
  /** One deadline for a question, on one host or on both, in ms. */
  readonly upstreamTimeoutMs: number;
  /** Where the last good answers are kept over restarts. @default nowhere */
  readonly stateDir?: string | undefined;
  /** What other instances know. @default there are none */
  readonly shared?: SharedAnswers | undefined;
  /** The key in use, by a name that does not tell it. @default one name for ever */
  readonly keyName?: () => string;
  /** Tells when the key is another than before. @default never */
  readonly onKeyChange?: (heard: () => void) => () => void;
  /** @default nobody is told */
  readonly observer?: CacheObserver;
  /** @default nothing is said */
  readonly warn?: (message: string) => void;
  /** Hears of faults inside that nobody waits for. @default nobody does */
  readonly onFault?: (fault: unknown) => void;
}

/** The cache with what its owner, not its readers, may ask of it. */
export interface OpenPulseCache extends PulseCache {
  /** What readiness goes by, in constant time. */
  health(): CacheHealth;
  status(): CacheStatus;
  /** Takes up what an earlier process left, and begins to refresh. */
  start(): Promise<void>;
  /** Ends all calls and timers. */
  close(): Promise<void>;
}

/** Opens the cache: look, judge, answer, refresh, fall back. */
export function openPulseCache(options: PulseCacheOptions): OpenPulseCache {
  return new Cache(options);
}

class Cache implements OpenPulseCache {
  readonly #options: PulseCacheOptions;
  readonly #clock: Clock;
  readonly #planner: RefreshPlanner;
  readonly #memory: Memory;
  readonly #account: AccountGuard;
  readonly #rests = new RestBook();
  readonly #key = new KeyHealth();
  readonly #hosts: HostChoice;
  readonly #refresher: Refresher;
  readonly #lists: ListReader;
  readonly #others: Others | undefined;
  readonly #crowd: Crowd | undefined;
  readonly #news: News;
  readonly #ended = new AbortController();
  readonly #onFault: (fault: unknown) => void;
  readonly #cleanUps: (() => void)[] = [];
  readonly #purgeListeners = new Set<() => void>();

  constructor(options: PulseCacheOptions) {
    const { clock, planner, stateDir, random = Math.random, observer = {}, upstreamTimeoutMs: callMs } = options;
    const { onFault = () => {} } = options;
    this.#options = options;
    this.#onFault = onFault;
    this.#clock = clock;
    this.#planner = planner;
    this.#news = new News(options.warn);
    const files = stateDir === undefined ? undefined : openStateFiles(stateDir, options);
    this.#memory = new Memory(new KnownSources(options.sources), clock, files);
    this.#hosts = new HostChoice({ hasAlt: options.hasAltHost ?? false, callMs, random });
    this.#account = new AccountGuard({
      memory: this.#memory,
      keyName: options.keyName ?? (() => ''),
      onRestored: (restored) => this.#restored(restored),
      onPurge: (knownIds) => this.#purged(knownIds),
      onConfirmed: () => void this.#others?.compareAll(),
    });
    const shared = { ...options, random, observer, hosts: this.#hosts, key: this.#key, signal: this.#ended.signal };
    const onHostBack = () => this.#rests.forgive('upstream_unavailable', 'upstream_invalid');
    const caller = new Caller({ ...shared, onHostBack });
    const known = { memory: this.#memory, account: this.#account, rests: this.#rests };
    if (options.shared) {
      this.#others = new Others({ ...shared, ...known, shared: options.shared });
      this.#crowd = new Crowd({ ...options, ids: this.#memory.ids, shared: options.shared });
    }
    this.#refresher = new Refresher({ ...shared, ...known, caller, onFault, others: this.#others });
    this.#lists = new ListReader({
      ...shared,
      ...known,
      refresher: this.#refresher,
      verdictOf: (askedAt, now) => this.#verdict(askedAt, 'sources', now),
    });
  }

  async start(): Promise<void> {
    const restored = await this.#account.restore();
    if (restored) this.#restored(restored);
    this.#cleanUps.push(startRefreshLoop(this.#clock, () => this.#tick(), this.#onFault));
    const forget = this.#options.onKeyChange?.(() => this.#refresher.keyChanged());
    if (forget) this.#cleanUps.push(forget);
    await this.#joinOthers();
    this.#refresher.joinList({ readerWaits: true });
  }

  async close(): Promise<void> {
    this.#ended.abort();
    for (const cleanUp of this.#cleanUps.splice(0)) cleanUp();
    await this.#refresher.allLanded();
  }

  peekCard(sourceId: string): Reading<Card> | undefined {
    const now = this.#clock.now();
    const kept = this.#memory.card(sourceId);
    if (!this.#memory.ids.has(sourceId)) return this.#peekUnknown();
    if (!kept) return undefined;
    const verdict = this.#verdict(kept.askedAt, 'pulse', now);
    if (verdict === 'expired') return undefined;
    if (verdict === 'stale' && this.#refresher.isWorthWaiting(sourceId, now)) return undefined;
    this.#sawView(sourceId);
    return this.#card(kept, now, verdict === 'fresh' ? {} : this.#restFacts(sourceId, now));
  }

  async readCard(sourceId: string): Promise<Reading<Card>> {
    if (!(await this.#isKnown(sourceId))) return this.#readUnknown(sourceId);
    const now = this.#clock.now();
    this.#sawView(sourceId);
    const kept = this.#memory.card(sourceId);
    const verdict = kept ? this.#verdict(kept.askedAt, 'pulse', now) : 'expired';
    if (kept && verdict === 'fresh') return this.#card(kept, now);
    if (kept && verdict === 'stale') return this.#readStale(sourceId, now);
    return this.#readMissing(sourceId, now);
  }

  readSources(): Promise<Reading<SourceList>> {
    return this.#lists.read();
  }

  isKnown(sourceId: string): boolean {
    return this.#memory.ids.has(sourceId);
  }

  glance(sourceId: string): Known<Card> | undefined {
    const now = this.#clock.now();
    const kept = this.#memory.card(sourceId);
    if (!kept || !this.isKnown(sourceId)) return undefined;
    const verdict = this.#verdict(kept.askedAt, 'pulse', now);
    if (verdict === 'expired') return undefined;
    return this.#card(kept, now, verdict === 'fresh' ? {} : this.#restFacts(sourceId, now));
  }

  onNewPulse(heard: (card: Card) => void): () => void {
    return this.#refresher.onNewPulse(heard);
  }

  onPurge(heard: () => void): () => void {
    this.#purgeListeners.add(heard);
    return () => void this.#purgeListeners.delete(heard);
  }

  watched(sourceId: string, readers: number): void {
    if (!this.isKnown(sourceId)) return;
    this.#refresher.sawWatchers(sourceId, readers, this.#crowd?.watched(sourceId, readers) ?? readers);
  }

  health(): CacheHealth {
    return cacheHealth(this.#healthParts(), this.#clock.now());
  }

  status(): CacheStatus {
    const now = this.#clock.now();
    const parts = {
      ...this.#healthParts(),
      planner: this.#planner,
      callsInFlight: this.#refresher.callsInFlight,
      rests: this.#rests,
      wallAt: (monotonicMs: number) => this.#clock.wallNow() - (this.#clock.now() - monotonicMs),
      verdictOf: (askedAt: number, kind: 'sources' | 'pulse') => this.#verdict(askedAt, kind, now),
    };
    return cacheStatus(parts, now);
  }

  #healthParts(): HealthParts {
    return { memory: this.#memory, ledger: this.#options.ledger, hosts: this.#hosts, key: this.#key };
  }

  /** Takes over what the other instances know, and listens to them from now on. */
  async #joinOthers(): Promise<void> {
    const { shared } = this.#options;
    const [others, crowd] = [this.#others, this.#crowd];
    if (!shared || !others || !crowd) return;
    await others.compareAll();
    this.#cleanUps.push(crowd.start());
    shared.listen({
      onNews: (subject) => void others.heardOf(subject),
      onDemand: (demand) => {
        if (crowd.heard(demand)) this.#refresher.sawViewElsewhere();
      },
      onJoined: () => void others.compareAll(),
    });
  }

  async #tick(): Promise<void> {
    const now = this.#clock.now();
    const { ledger } = this.#options;
    this.#news.hear({
      key: this.#key.status(now),
      hosts: this.#hosts.status(now),
      budget: ledger.status(),
      unreadableRows: this.#memory.list?.unreadableRows ?? 0,
    });
    await this.#refresher.tick();
  }

  #sawView(sourceId: string): void {
    this.#refresher.sawView(sourceId);
    this.#crowd?.sawView(sourceId);
  }

  #restored({ cards, list, refusedAt }: Restored): void {
    for (const { card, askedAt } of cards) this.#planner.refreshed(card.sourceId, askedAt, { changed: false });
    if (list) this.#planner.refreshed(LIST_ID, list.askedAt, { changed: false });
    if (refusedAt !== undefined) this.#key.recalled(refusedAt);
    const now = this.#clock.now();
    const isUsable = ({ askedAt }: { askedAt: number }, kind: 'pulse' | 'sources'): boolean =>
      this.#verdict(askedAt, kind, now) !== 'expired';
    if (cards.some((kept) => isUsable(kept, 'pulse')) || (list && isUsable(list, 'sources'))) this.#memory.markUsable();
  }

  /** The answers that were kept are another account's: what was learned about them goes, too. */
  #purged(knownIds: readonly string[]): void {
    this.#options.warn?.('The key belongs to another account than before: all kept answers are dropped');
    this.#rests.clear();
    for (const id of knownIds) this.#planner.forget(id);
    for (const subject of [LIST_ID, ...knownIds]) this.#options.shared?.forget(subject);
    for (const heard of this.#purgeListeners) heard();
  }

  #verdict(askedAt: number, kind: 'pulse' | 'sources', now: number): Verdict {
    const refusedForMs = this.#key.isRefused(kind) ? this.#key.refusedForMs(kind, now) : undefined;
    return trustIn(askedAt, this.#options, { now, refusedForMs });
  }

  /** Asked before any list was seen, an id may yet turn out to be on it. */
  async #isKnown(sourceId: string): Promise<boolean> {
    const { ids, list } = this.#memory;
    if (ids.has(sourceId)) return true;
    if (ids.followsList && !list && !this.#rests.restingAt(LIST_ID, this.#clock.now()))
      await inTime(this.#refresher.joinList({ readerWaits: true }).flight, this.#options);
    return ids.has(sourceId);
  }

  #peekUnknown(): Reading<Card> | undefined {
    const { ids, list } = this.#memory;
    const mayTurnUp = ids.triesStrangers || (ids.followsList && !list);
    return mayTurnUp ? undefined : this.#unknown();
  }

  /** An id that the list never showed; where no list was ever seen, not even that can be said. */
  #unknown(): Reading<Card> {
    this.#refresher.sawUnknown();
    const { ids, list } = this.#memory;
    if (list || !ids.followsList) return { ok: false, code: 'source_unknown' };
    return failedReading(this.#rests.restingAt(LIST_ID, this.#clock.now()) ?? NOTHING_YET);
  }

  async #readUnknown(sourceId: string): Promise<Reading<Card>> {
    if (!this.#memory.ids.triesStrangers) return this.#unknown();
    const now = this.#clock.now();
    const kept = this.#memory.card(sourceId);
    if (kept && this.#rests.isAbsent(sourceId, now)) return { ...this.#card(kept, now), stale: false };
    return this.#readMissing(sourceId, now);
  }

  async #readStale(sourceId: string, now: number): Promise<Reading<Card>> {
    const landed = this.#refresher.isWorthWaiting(sourceId, now)
      ? await this.#waitForCard(sourceId, 'stale')
      : undefined;
    return landed ?? this.#lateCard(sourceId);
  }

  async #readMissing(sourceId: string, now: number): Promise<Reading<Card>> {
    const rest = this.#rests.restingAt(sourceId, now);
    if (rest) return failedReading(rest);
    return (await this.#waitForCard(sourceId, 'miss')) ?? this.#lateCard(sourceId);
  }

  /** Waits for a refresh; undefined where none came in time. */
  async #waitForCard(sourceId: string, fwd: 'miss' | 'stale'): Promise<Reading<Card> | undefined> {
    const { flight, isNew } = this.#refresher.joinCard(sourceId, { readerWaits: fwd === 'miss' });
    const landed = await inTime(flight, this.#options, fwd);
    if (!landed) return undefined;
    if (!landed.ok) return fwd === 'miss' ? failedReading(landed) : this.#lateCard(sourceId, factsOf(landed));
    const kept = this.#memory.card(sourceId);
    if (!kept) return undefined;
    const fwdStatus = kept.card.pulse ? 200 : 404;
    return this.#card(kept, this.#clock.now(), { hit: false, fwd, fwdStatus, stored: true, collapsed: !isNew });
  }

  /** What there is, now that nothing newer came in time. */
  #lateCard(sourceId: string, facts: Partial<CacheFacts> = {}): Reading<Card> {
    const now = this.#clock.now();
    const kept = this.#memory.card(sourceId);
    if (!kept || this.#verdict(kept.askedAt, 'pulse', now) === 'expired')
      return failedReading(this.#rests.restingAt(sourceId, now) ?? NOTHING_YET);
    return this.#card(kept, now, { ...this.#restFacts(sourceId, now), ...facts });
  }

  #restFacts(subject: string, now: number): Partial<CacheFacts> {
    const detail = this.#refresher.obstacle(subject, now);
    return detail === undefined ? {} : { detail };
  }

  #card({ card, askedAt }: { card: Card; askedAt: number }, now: number, facts?: Partial<CacheFacts>) {
    return readingOf(card, { askedAt, freshForMs: this.#options.freshForMs, now }, facts);
  }
}
