import type { ReadSource } from '@pulse-card/contract';
import type { CallLedger } from '../budget/call-ledger.ts';
import type { Clock } from '../clock.ts';
import { LIST_ID, type RefreshPlanner } from '../freshness/refresh-planner.ts';
import { type Verdict, verdictOn } from '../freshness/verdict.ts';
import type { Upstream } from '../upstream/port.ts';
import { backoffMs, negativeMs } from './backoff.ts';
import { type CacheObserver } from './call-report.ts';
import { type Came, Caller, type Failed } from './caller.ts';
import { Flights } from './flights.ts';
import { HostChoice } from './host-choice.ts';
import { KeptCards } from './kept-cards.ts';
import { KeyHealth } from './key-health.ts';
import { KnownSources, type SourceRule } from './known-sources.ts';
import type { CacheFacts, Card, PulseCache, Reading, SourceList } from './port.ts';
import { startRefreshLoop } from './refresh-loop.ts';
import { RestBook } from './rest-book.ts';
import { openStateFiles, type SavedAnswer, type SavedList, type StateFiles } from './state-files.ts';
import type { CacheStatus, SourceStatusFacts } from './status.ts';
import { within } from './within.ts';

/** The longest that a reader who could be served a stale answer waits for a fresh one. */
const READER_WAIT_MS = 500;

/** With this share of the window's calls left, a reader is let wait for a fresh answer whatever it is worth. */
const PLENTY = 0.5;

/** While anybody reads cards, the list that tells their status is no older than this. */
const LIST_AGE_MS = 120_000;

/** Ids that the list does not show make it be asked anew, no more often than this. */
const LIST_FOR_UNKNOWN_MS = 60_000;

export interface PulseCacheOptions {
  readonly upstream: Upstream;
  readonly ledger: CallLedger;
  readonly planner: RefreshPlanner;
  readonly clock: Clock;
  /** From 0 up to, not including, 1. @default Math.random */
  readonly random?: () => number;
  readonly sources: SourceRule;
  /** Whether the upstream has a second host. @default false */
  readonly hasAltHost?: boolean;
  readonly freshForMs: number;
  readonly staleForMs: number;
  readonly authStaleForMs: number;
  readonly upstreamTimeoutMs: number;
  /** Where the last good answers are kept over restarts. @default nowhere */
  readonly stateDir?: string | undefined;
  /** Tells when the key is another than before. @default never */
  readonly onKeyChange?: (heard: () => void) => () => void;
  /** @default nobody is told */
  readonly observer?: CacheObserver;
  /** @default nothing is said */
  readonly warn?: (message: string) => void;
}

/** The cache with what its owner, not its readers, may ask of it. */
export interface OpenPulseCache extends PulseCache {
  status(): CacheStatus;
  /** Takes up what an earlier process left, and begins to refresh. */
  start(): Promise<void>;
  /** Ends all calls and timers, and writes down what is known. */
  close(): Promise<void>;
}

/** Opens the cache: look, judge, answer, refresh, fall back. */
export function openPulseCache(options: PulseCacheOptions): OpenPulseCache {
  return new Cache(options);
}

type Landed = { readonly ok: true } | Failed;

interface KeptList {
  readonly list: SourceList;
  readonly askedAt: number;
}

class Cache implements OpenPulseCache {
  readonly #options: PulseCacheOptions;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #planner: RefreshPlanner;
  readonly #ids: KnownSources;
  readonly #cards = new KeptCards();
  readonly #flights = new Flights<Landed>();
  readonly #rests = new RestBook();
  readonly #hosts: HostChoice;
  readonly #key = new KeyHealth();
  readonly #caller: Caller;
  readonly #files: StateFiles | undefined;
  readonly #ended = new AbortController();
  readonly #heard = new Set<(card: Card) => void>();
  readonly #cleanUps: (() => void)[] = [];
  #list: KeptList | undefined;
  #listWanted = false;
  #listTriedAt = -Infinity;
  #lastViewAt = -Infinity;
  #listSettled = false;
  #isRestored = false;

  constructor(options: PulseCacheOptions) {
    const { clock, planner, random = Math.random, observer = {}, hasAltHost = false, upstreamTimeoutMs } = options;
    this.#options = options;
    this.#clock = clock;
    this.#random = random;
    this.#planner = planner;
    this.#ids = new KnownSources(options.sources);
    this.#hosts = new HostChoice({ hasAlt: hasAltHost, callMs: upstreamTimeoutMs, random });
    this.#caller = new Caller({
      ...options,
      hosts: this.#hosts,
      key: this.#key,
      observer,
      signal: this.#ended.signal,
    });
    if (options.stateDir !== undefined) this.#files = openStateFiles(options.stateDir, options);
  }

  async start(): Promise<void> {
    await this.#restore();
    const forgetKey = this.#options.onKeyChange?.(() => this.#keyChanged());
    if (forgetKey) this.#cleanUps.push(forgetKey);
    this.#cleanUps.push(startRefreshLoop(this.#clock, () => this.#tick()));
    void this.#flyList(true);
  }

  async close(): Promise<void> {
    this.#ended.abort();
    for (const cleanUp of this.#cleanUps.splice(0)) cleanUp();
    await this.#flights.allLanded();
    await this.#files?.flushed();
  }

  peekCard(sourceId: string): Reading<Card> | undefined {
    const now = this.#clock.now();
    const kept = this.#cards.get(sourceId);
    if (!kept) return this.#peekUnknown(sourceId);
    const verdict = this.#verdict(kept.askedAt, 'pulse', now);
    if (verdict === 'expired' || (verdict === 'stale' && this.#isWorthWaiting(sourceId, now))) return undefined;
    this.#sawView(sourceId, now);
    return this.#reading(kept.card, kept.askedAt, now, this.#restDetail(sourceId, verdict, now));
  }

  async readCard(sourceId: string): Promise<Reading<Card>> {
    if (!(await this.#isKnown(sourceId)))
      return this.#ids.triesStrangers ? this.#readStranger(sourceId) : this.#unknown();
    const now = this.#clock.now();
    this.#sawView(sourceId, now);
    const kept = this.#cards.get(sourceId);
    const verdict = kept ? this.#verdict(kept.askedAt, 'pulse', now) : 'expired';
    if (kept && verdict === 'fresh') return this.#reading(kept.card, kept.askedAt, now);
    if (kept && verdict === 'stale') {
      const landed = this.#isWorthWaiting(sourceId, now) ? await this.#waitForCard(sourceId, now, 'stale') : undefined;
      return landed ?? this.#staleCard(sourceId, now);
    }
    const rest = this.#rests.restingAt(sourceId, now);
    if (rest) return failedReading(rest);
    return (await this.#waitForCard(sourceId, now, 'miss')) ?? this.#lateCard(sourceId);
  }

  /** An id nobody vouches for: tried out of its own small bucket, and left alone for longer each time it is not there. */
  async #readStranger(sourceId: string): Promise<Reading<Card>> {
    const now = this.#clock.now();
    const kept = this.#cards.get(sourceId);
    if (kept && this.#rests.isAbsent(sourceId, now))
      return { ...this.#reading(kept.card, kept.askedAt, now), stale: false };
    const rest = this.#rests.restingAt(sourceId, now);
    if (rest) return failedReading(rest);
    return (await this.#waitForCard(sourceId, now, 'miss')) ?? this.#lateCard(sourceId);
  }

  async readSources(): Promise<Reading<SourceList>> {
    const now = this.#clock.now();
    this.#planner.sawView(LIST_ID, now);
    const kept = this.#list;
    const verdict = kept ? this.#verdict(kept.askedAt, 'sources', now) : 'expired';
    if (kept && verdict === 'fresh') return this.#reading(kept.list, kept.askedAt, now);
    const mayWait = verdict === 'expired' ? !this.#rests.restingAt(LIST_ID, now) : this.#isWorthWaiting(LIST_ID, now);
    const limitMs = verdict === 'expired' ? this.#options.upstreamTimeoutMs : READER_WAIT_MS;
    const joined = mayWait ? this.#joinList(verdict === 'expired') : undefined;
    const landed = joined && (await within(this.#clock, limitMs, joined.flight.landed));
    return this.#listAfter(landed, joined?.isNew === false);
  }

  onNewPulse(heard: (card: Card) => void): () => void {
    this.#heard.add(heard);
    return () => void this.#heard.delete(heard);
  }

  watched(sourceId: string, readers: number): void {
    if (this.#ids.has(sourceId)) this.#planner.watched(sourceId, readers, this.#clock.now());
  }

  status(): CacheStatus {
    const now = this.#clock.now();
    const key = this.#key.status(now);
    const hosts = this.#hosts.status(now);
    const budget = this.#options.ledger.status();
    return {
      ready: this.#listSettled || this.#isRestored,
      degraded: [
        ...(key.state === 'refused' ? ['upstream_auth'] : []),
        ...(budget.pausedForMs > 0 ? ['upstream_rate_limited'] : []),
        ...(hosts.every(({ state }) => state !== 'well') ? ['upstream_unavailable'] : []),
      ],
      list: this.#facts(LIST_ID, this.#list?.askedAt, 'sources', now),
      sources: Array.from(this.#ids.all, (id) => this.#facts(id, this.#cards.get(id)?.askedAt, 'pulse', now)),
      hosts,
      budget,
      key,
      callsInFlight: this.#flights.size,
    };
  }

  // Looking and judging

  #verdict(askedAt: number, kind: 'pulse' | 'sources', now: number): Verdict {
    const { freshForMs, staleForMs, authStaleForMs } = this.#options;
    const verdict = verdictOn({ storedAt: askedAt, lifetime: { freshForMs, staleForMs } }, now);
    const isOutOfTrust = this.#key.isRefused(kind) && this.#key.refusedForMs(kind, now) >= authStaleForMs;
    return verdict === 'stale' && isOutOfTrust ? 'expired' : verdict;
  }

  /** Says whether a reader who could have a stale answer shall wait a moment for a fresh one. */
  #isWorthWaiting(subject: string, now: number): boolean {
    const flight = this.#flights.get(subject);
    if (flight) return now - flight.startedAt < READER_WAIT_MS;
    if (this.#rests.restingAt(subject, now)) return false;
    if (!this.#caller.canAsk(subject === LIST_ID ? 'sources' : 'pulse')) return false;
    const tokens = this.#options.ledger.status();
    return tokens.left >= PLENTY * tokens.capacity || this.#planner.worthWaiting(subject, now, tokens);
  }

  /** Asked before any list was seen, an id may yet turn out to be on it. */
  async #isKnown(sourceId: string): Promise<boolean> {
    if (this.#ids.has(sourceId)) return true;
    if (this.#ids.followsList && !this.#list && !this.#rests.restingAt(LIST_ID, this.#clock.now()))
      await within(this.#clock, this.#options.upstreamTimeoutMs, this.#joinList(true).flight.landed);
    return this.#ids.has(sourceId);
  }

  #peekUnknown(sourceId: string): Reading<Card> | undefined {
    if (this.#ids.has(sourceId) || this.#ids.triesStrangers || (this.#ids.followsList && !this.#list)) return undefined;
    return this.#unknown();
  }

  /** An id that the list never showed; where no list was ever seen, that is not known either. */
  #unknown(): Reading<Card> {
    this.#listWanted = true;
    const rest = this.#list || !this.#ids.followsList ? undefined : this.#rests.restingAt(LIST_ID, this.#clock.now());
    if (rest) return failedReading(rest);
    if (this.#list || !this.#ids.followsList) return { ok: false, code: 'source_unknown' };
    return { ok: false, code: 'upstream_unavailable', retryAfterSeconds: 1 };
  }

  #sawView(sourceId: string, now: number): void {
    this.#lastViewAt = now;
    this.#planner.sawView(sourceId, now);
  }

  // Answering

  #reading<Known>(known: Known, askedAt: number, now: number, facts: Partial<CacheFacts> = {}) {
    const ageMs = Math.max(0, now - askedAt);
    const { freshForMs } = this.#options;
    const ttlSeconds = Math.floor((freshForMs - ageMs) / 1_000);
    return { ok: true, known, stale: ageMs >= freshForMs, ageMs, facts: { hit: true, ttlSeconds, ...facts } } as const;
  }

  #restDetail(subject: string, verdict: Verdict, now: number): Partial<CacheFacts> {
    if (verdict === 'fresh') return {};
    const rest = this.#rests.restingAt(subject, now);
    return rest ? { detail: rest.detail } : {};
  }

  #staleCard(sourceId: string, now: number, facts: Partial<CacheFacts> = {}): Reading<Card> {
    const kept = this.#cards.get(sourceId);
    if (!kept) return { ok: false, code: 'upstream_unavailable', retryAfterSeconds: 1 };
    return this.#reading(kept.card, kept.askedAt, now, { ...this.#restDetail(sourceId, 'stale', now), ...facts });
  }

  /** Waits for a flight; undefined where it was not there in time. */
  async #waitForCard(sourceId: string, from: number, fwd: 'miss' | 'stale'): Promise<Reading<Card> | undefined> {
    const { flight, isNew } = this.#joinCard(sourceId, fwd === 'miss');
    const limitMs =
      fwd === 'miss' ? this.#options.upstreamTimeoutMs : Math.max(0, READER_WAIT_MS - (from - flight.startedAt));
    const landed = await within(this.#clock, limitMs, flight.landed);
    if (!landed) return undefined;
    const now = this.#clock.now();
    if (!landed.ok) return fwd === 'miss' ? failedReading(landed) : this.#staleCard(sourceId, now, factsOf(landed));
    const kept = this.#cards.get(sourceId);
    if (!kept) return undefined;
    const fwdStatus = kept.card.pulse ? 200 : 404;
    return this.#reading(kept.card, kept.askedAt, now, { hit: false, fwd, fwdStatus, stored: true, collapsed: !isNew });
  }

  #lateCard(sourceId: string): Reading<Card> {
    const kept = this.#cards.get(sourceId);
    const now = this.#clock.now();
    if (kept && this.#verdict(kept.askedAt, 'pulse', now) !== 'expired') return this.#staleCard(sourceId, now);
    return { ok: false, code: 'upstream_unavailable', retryAfterSeconds: 5 };
  }

  #listAfter(landed: Landed | undefined, collapsed: boolean): Reading<SourceList> {
    const now = this.#clock.now();
    const kept = this.#list;
    if (kept && this.#verdict(kept.askedAt, 'sources', now) !== 'expired') {
      if (!landed?.ok) return this.#reading(kept.list, kept.askedAt, now, landed ? factsOf(landed) : {});
      const facts = { hit: false, fwd: 'stale', fwdStatus: 200, stored: true, collapsed } as const;
      return this.#reading(kept.list, kept.askedAt, now, facts);
    }
    if (landed && !landed.ok) return failedReading(landed);
    const rest = this.#rests.restingAt(LIST_ID, now);
    return rest ? failedReading(rest) : { ok: false, code: 'upstream_unavailable', retryAfterSeconds: 5 };
  }

  // Refreshing

  #joinCard(sourceId: string, readerWaits: boolean) {
    return this.#flights.join(sourceId, this.#clock.now(), () => this.#flyCard(sourceId, readerWaits));
  }

  #joinList(readerWaits: boolean) {
    return this.#flights.join(LIST_ID, this.#clock.now(), () => this.#askList(readerWaits));
  }

  async #flyList(readerWaits: boolean): Promise<void> {
    await this.#joinList(readerWaits).flight.landed;
  }

  async #flyCard(sourceId: string, readerWaits: boolean): Promise<Landed> {
    const isKnown = this.#ids.has(sourceId);
    const result = await this.#caller.ask({
      question: { kind: 'pulse', sourceId },
      subject: sourceId,
      payer: isKnown ? 'known' : 'stranger',
      readerWaits,
      call: (host, asking) => this.#options.upstream.latestPulse(host, sourceId, asking),
      onLeave: (now) => isKnown && this.#planner.asked(sourceId, now),
    });
    if (!result.ok) return this.#couldNot(sourceId, result);
    const pulse = result.value.kind === 'found' ? result.value.pulse : null;
    if (pulse && !isKnown) this.#meet(sourceId);
    this.#keep(sourceId, pulse, result, this.#ids.has(sourceId) ? 'known' : 'stranger');
    return { ok: true };
  }

  /** A stranger that has a pulse is known from here on. */
  #meet(sourceId: string): void {
    if (this.#ids.found(sourceId)) this.#saveList();
    this.#sawView(sourceId, this.#clock.now());
  }

  #keep(
    sourceId: string,
    pulse: Card['pulse'],
    { askedAt, requestedAtMs, fence }: Came<unknown>,
    owner: 'known' | 'stranger',
  ): void {
    const changed = this.#cards.keep(sourceId, { pulse, askedAt, requestedAtMs, fence }, owner);
    this.#rests.answered(sourceId);
    if (owner === 'stranger') return this.#restStranger(sourceId);
    this.#planner.refreshed(sourceId, this.#clock.now(), { changed });
    this.#files?.saveAnswer({ sourceId, pulse, requestedAtMs });
    const card = this.#cards.get(sourceId)?.card;
    if (changed && card) for (const heard of this.#heard) heard(card);
  }

  /** An id that the upstream does not know is left alone for longer and longer. */
  #restStranger(sourceId: string): void {
    this.#rests.strangerAbsent(sourceId, (inARow) => this.#clock.now() + negativeMs(inARow, this.#random));
  }

  async #askList(readerWaits: boolean): Promise<Landed> {
    this.#listTriedAt = this.#clock.now();
    const result = await this.#caller.ask<readonly ReadSource[]>({
      question: { kind: 'sources' },
      subject: LIST_ID,
      payer: 'known',
      readerWaits,
      call: (host, asking) => this.#options.upstream.listSources(host, asking),
      onLeave: (now) => this.#planner.asked(LIST_ID, now),
    });
    this.#listSettled = true;
    if (!result.ok) return this.#couldNot(LIST_ID, result);
    this.#listWanted = false;
    this.#keepList(result.value, result);
    return { ok: true };
  }

  #keepList(rows: readonly ReadSource[], { askedAt, requestedAtMs }: { askedAt: number; requestedAtMs: number }): void {
    const shown = rows.filter(({ id }) => this.#ids.mayList(id));
    const changed = JSON.stringify(this.#list?.list.sources) !== JSON.stringify(shown);
    this.#ids.listed(rows.map(({ id }) => id));
    this.#list = { list: { sources: shown, requestedAtMs }, askedAt };
    if (changed) this.#cards.showRows(new Map(rows.map((row) => [row.id, row])));
    this.#rests.answered(LIST_ID);
    this.#planner.refreshed(LIST_ID, this.#clock.now(), { changed });
    this.#saveList();
  }

  #couldNot(subject: string, failed: Failed): Failed {
    if (!failed.wasAsked) return failed;
    const now = this.#clock.now();
    if (subject === LIST_ID || this.#ids.has(subject)) this.#planner.failed(subject, now);
    const retryAt = this.#rests.failed(subject, failed, (inARow) =>
      Math.max(now + backoffMs(inARow, this.#random), failed.code === 'upstream_auth' ? now + failed.retryInMs : 0),
    );
    if (failed.code === 'upstream_auth') this.#saveList();
    return { ...failed, retryInMs: retryAt - now };
  }

  async #tick(): Promise<void> {
    const now = this.#clock.now();
    if (this.#isListDue(now)) return this.#flyList(false);
    const tokens = this.#options.ledger.status();
    if (!this.#caller.canAsk('pulse')) return;
    const candidate = this.#planner.next(now, tokens);
    if (!candidate || this.#rests.restingAt(candidate.id, now)) return;
    if (candidate.id === LIST_ID) void this.#flyList(false);
    else void this.#joinCard(candidate.id, false);
  }

  #isListDue(now: number): boolean {
    if (this.#rests.restingAt(LIST_ID, now) || !this.#caller.canAsk('sources')) return false;
    if (!this.#list) return true;
    if (this.#listWanted && now - this.#listTriedAt >= LIST_FOR_UNKNOWN_MS) return true;
    return now - this.#lastViewAt < LIST_AGE_MS && now - this.#list.askedAt >= LIST_AGE_MS;
  }

  #keyChanged(): void {
    this.#key.changed();
    this.#rests.forgiveKey();
    void this.#flyList(false);
  }

  // Over restarts

  async #restore(): Promise<void> {
    const saved = await this.#files?.load();
    if (!saved) return;
    if (saved.list) this.#restoreList(saved.list);
    for (const answer of saved.answers) this.#restoreAnswer(answer);
  }

  #restoreList({ met, sources, requestedAtMs, refusedSinceMs }: SavedList): void {
    this.#ids.listed(met);
    for (const id of met) this.#ids.found(id);
    if (!sources) return;
    const askedAt = this.#monotonic(requestedAtMs);
    this.#list = { list: { sources: sources.filter(({ id }) => this.#ids.mayList(id)), requestedAtMs }, askedAt };
    this.#cards.showRows(new Map(sources.map((row) => [row.id, row])));
    if (refusedSinceMs !== null) this.#key.recalled(this.#monotonic(refusedSinceMs));
    this.#isRestored = true;
  }

  #restoreAnswer({ sourceId, pulse, requestedAtMs }: SavedAnswer): void {
    if (!this.#ids.has(sourceId)) return;
    const askedAt = this.#monotonic(requestedAtMs);
    this.#cards.keep(sourceId, { pulse, askedAt, requestedAtMs, fence: 0 }, 'known');
    this.#planner.refreshed(sourceId, askedAt, { changed: false });
    this.#isRestored = true;
  }

  #saveList(): void {
    if (!this.#files) return;
    const now = this.#clock.now();
    const { refusedForMs } = this.#key.status(now);
    this.#files.saveList({
      sources: this.#list ? [...this.#list.list.sources] : null,
      requestedAtMs: this.#list?.list.requestedAtMs ?? 0,
      met: [...this.#ids.met],
      refusedSinceMs: refusedForMs === undefined ? null : Math.round(this.#clock.wallNow() - refusedForMs),
    });
  }

  /** A moment of the wall clock on the monotonic one; never in the future. */
  #monotonic(wallMs: number): number {
    return this.#clock.now() - Math.max(0, this.#clock.wallNow() - wallMs);
  }

  #facts(id: string, askedAt: number | undefined, kind: 'pulse' | 'sources', now: number): SourceStatusFacts {
    const plan = this.#planner.explain(id, now);
    const rest = this.#rests.lastFailure(id, now);
    const kept = kind === 'pulse' ? this.#cards.get(id) : undefined;
    return {
      sourceId: id,
      verdict: askedAt === undefined ? 'never-answered' : this.#verdict(askedAt, kind, now),
      hasPulse: kept?.card.pulse !== null && kept !== undefined,
      ageMs: askedAt === undefined ? null : now - askedAt,
      requestedAtMs: (kind === 'pulse' ? kept?.card.requestedAtMs : this.#list?.list.requestedAtMs) ?? null,
      nextRefreshInMs: dueInMs(plan, now),
      why: whyOf(plan, rest !== null),
      viewsPerMinute: plan?.viewsPerMinute ?? 0,
      readers: plan?.readers ?? 0,
      lastFailure: rest,
    };
  }
}

function dueInMs(plan: ReturnType<RefreshPlanner['explain']>, now: number): number | null {
  return plan?.nextRefreshAt ? Math.max(0, plan.nextRefreshAt - now) : null;
}

function whyOf(plan: ReturnType<RefreshPlanner['explain']>, isResting: boolean): string {
  if (isResting) return 'resting after a failure';
  if (!plan || plan.nextRefreshAt === null) return 'nobody looks';
  if (plan.worthSeconds === null) return 'never answered';
  return `worth ${plan.worthSeconds.toFixed(1)} of ${plan.priceSeconds.toFixed(1)} reader-seconds`;
}

function factsOf({ detail, status }: Failed): Partial<CacheFacts> {
  return status === undefined ? { detail } : { detail, fwdStatus: status, fwd: 'stale' };
}

/** Whole seconds, 1 to 300. */
function failedReading({
  code,
  retryInMs,
}: {
  code: Failed['code'];
  retryInMs: number;
}): Extract<Reading<never>, { ok: false }> {
  return { ok: false, code, retryAfterSeconds: Math.min(300, Math.max(1, Math.ceil(retryInMs / 1_000))) };
}
