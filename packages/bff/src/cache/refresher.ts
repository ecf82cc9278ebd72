import type { CallLedger } from '../budget/call-ledger.ts';
import type { Clock } from '../clock.ts';
import { LIST_ID, type RefreshPlanner } from '../freshness/refresh-planner.ts';
import type { SourceRows, Upstream } from '../upstream/port.ts';
import type { AccountGuard } from './account-guard.ts';
import { backoffMs, negativeMs } from './backoff.ts';
import type { Caller, Failed } from './caller.ts';
import { type Aboard, Flights, type Joined } from './flights.ts';
import { READER_WAIT_MS } from './in-time.ts';
import type { KeyHealth } from './key-health.ts';
import type { Memory } from './memory.ts';
import type { Others } from './others.ts';
import type { Card } from './port.ts';
import type { RestBook } from './rest-book.ts';

/** With this share of the calls left that could be, a reader is let wait for a fresh answer whatever it is worth. */
const PLENTY = 0.5;

/** While anybody reads cards, the list that tells their status is no older than this. */
const LIST_AGE_MS = 120_000;

/** Ids that the list does not show make it be asked anew, no more often than this. */
const LIST_FOR_UNKNOWN_MS = 60_000;

/** No tick begins more refreshes than this, whatever the planner says. */
const MOST_PER_TICK = 50;

/** While another instance asks, this one looks this often, should it hear nothing. */
const LOOK_EVERY_MS = 100;

/** How a refresh is made that no reader waits for. */
const BY_PLAN = { readerWaits: false };

/** An answer to a key that has been replaced, or one that does not say whether the new key is of the same account. */
const NOT_OF_THIS_KEY: Failed = {
  ok: false,
  code: 'upstream_unavailable',
  detail: 'key-changed',
  wasAsked: true,
  retryInMs: 1_000,
};

/** What a refresh comes to that a fault inside has ended. */
const BROKEN: Failed = { ok: false, code: 'internal', detail: 'fault', wasAsked: false, retryInMs: 5_000 };

/** What became of a refresh. */
export type Landed = { readonly ok: true } | Failed;

export interface RefresherOptions {
  readonly upstream: Upstream;
  readonly caller: Caller;
  readonly ledger: CallLedger;
  readonly planner: RefreshPlanner;
  readonly memory: Memory;
  readonly account: AccountGuard;
  readonly rests: RestBook;
  readonly key: KeyHealth;
  readonly clock: Clock;
  readonly random: () => number;
  readonly upstreamTimeoutMs: number;
  /** Hears of faults inside. */
  readonly onFault: (fault: unknown) => void;
  /** Other instances, where there can be any. */
  readonly others?: Others | undefined;
}

/** Refreshes cards and list: one call at a time about each thing, for readers who wait and by plan. */
export class Refresher {
  readonly #options: RefresherOptions;
  readonly #flights = new Flights<Landed>((fault) => {
    this.#options.onFault(fault);
    return BROKEN;
  });
  readonly #heard = new Set<(card: Card) => void>();
  #listTriedAt = -Infinity;
  #listWantedForUnknown = false;
  #lastViewAt = -Infinity;
  /** Sources that live streams of this instance watch. */
  readonly #watched = new Set<string>();

  constructor(options: RefresherOptions) {
    this.#options = options;
    options.others?.start((card) => this.#announce(card));
  }

  get callsInFlight(): number {
    return this.#flights.size;
  }

  onNewPulse(heard: (card: Card) => void): () => void {
    this.#heard.add(heard);
    return () => void this.#heard.delete(heard);
  }

  /** Takes in that readers of other instances look at sources. */
  sawViewElsewhere(): void {
    this.#lastViewAt = this.#options.clock.now();
  }

  /** Takes in that a reader looked at a known source. */
  sawView(sourceId: string): void {
    this.#lastViewAt = this.#options.clock.now();
    this.#options.planner.sawView(sourceId, this.#lastViewAt);
  }

  /** Records how many live streams watch a known source: of this instance, and of all. */
  sawWatchers(sourceId: string, readersHere: number, readersInAll: number): void {
    const now = this.#options.clock.now();
    if (readersHere > 0) this.#watched.add(sourceId);
    else this.#watched.delete(sourceId);
    this.#lastViewAt = now;
    this.#options.planner.watched(sourceId, readersInAll, now);
  }

  /** Takes in that somebody asked for an id that the list does not show: there may be a new one. */
  sawUnknown(): void {
    this.#listWantedForUnknown = true;
  }

  /** The refresh of a card: one that is under way, or a new one. */
  joinCard(sourceId: string, { readerWaits }: { readerWaits: boolean }): Joined<Landed> {
    const { clock } = this.#options;
    return this.#flights.join(sourceId, { now: clock.now(), readerWaits }, (aboard) =>
      this.#unlessElsewhere(sourceId, aboard, () => this.#askCard(sourceId, aboard)),
    );
  }

  /** The refresh of the list: one that is under way, or a new one. */
  joinList({ readerWaits }: { readerWaits: boolean }): Joined<Landed> {
    const { clock } = this.#options;
    return this.#flights.join(LIST_ID, { now: clock.now(), readerWaits }, (aboard) =>
      this.#unlessElsewhere(LIST_ID, aboard, () => this.#askList(aboard)),
    );
  }

  /** Says whether a reader who could have a stale answer shall wait a moment for a fresh one. */
  isWorthWaiting(subject: string, now: number): boolean {
    const { rests, caller, ledger, planner } = this.#options;
    if (!caller.isUpstreamWell()) return false;
    const flight = this.#flights.get(subject);
    if (flight) return now - flight.startedAt < READER_WAIT_MS;
    if (rests.restingAt(subject, now) || caller.obstacle(kindOf(subject))) return false;
    const tokens = ledger.status();
    return tokens.left >= PLENTY * tokens.leftAtMost || planner.worthWaiting(subject, now, tokens);
  }

  /**
   * Why nothing newer than what is kept can be had now, in a word, if so. A failure counts until an answer ends it: that
   * its rest is over does not make anything newer reachable.
   */
  obstacle(subject: string, now: number): string | undefined {
    const { rests, caller } = this.#options;
    return rests.lastFailure(subject, now)?.detail ?? caller.trouble(kindOf(subject))?.detail;
  }

  /** Makes the refreshes that are due, as far as they are worth it and can be paid. */
  async tick(): Promise<void> {
    const { clock, caller, planner, ledger, rests } = this.#options;
    const now = clock.now();
    if (this.#isListDue(now)) await this.joinList(BY_PLAN).flight.left;
    if (this.#options.others?.leads === false) return;
    const tried = new Set<string>();
    while (tried.size < MOST_PER_TICK && !caller.obstacle('pulse')) {
      const candidate = planner.next(now, ledger.status(), tried);
      if (!candidate) return;
      tried.add(candidate.id);
      const rest = rests.restingAt(candidate.id, now);
      if (rest) planner.restUntil(candidate.id, now + rest.retryInMs, now);
      else await this.#join(candidate.id).flight.left;
    }
  }

  /** Takes in that the key is another: it is tried at once. */
  keyChanged(): void {
    this.#options.key.changed();
    this.#options.rests.forgive('upstream_auth');
    this.joinList({ readerWaits: true });
  }

  async allLanded(): Promise<void> {
    await this.#flights.allLanded();
  }

  #join(subject: string): Joined<Landed> {
    return subject === LIST_ID ? this.joinList(BY_PLAN) : this.joinCard(subject, BY_PLAN);
  }

  #isListDue(now: number): boolean {
    const { memory, caller, rests } = this.#options;
    if (rests.restingAt(LIST_ID, now) || caller.obstacle('sources')) return false;
    if (!memory.list || !memory.hasAnswers) return true;
    const isWanted = this.#listWantedForUnknown && now - this.#listAt >= LIST_FOR_UNKNOWN_MS;
    if (this.#options.others?.leads === false) return isWanted;
    // The list is what a host that failed is tried with: it concerns all, and nobody waits for it.
    if (!caller.isUpstreamWell()) return this.#isRead(now);
    return isWanted || (this.#isRead(now) && now - memory.list.askedAt >= LIST_AGE_MS);
  }

  /** Whether anybody reads cards: by a view lately, or by a live stream that is open. */
  #isRead(now: number): boolean {
    return this.#watched.size > 0 || now - this.#lastViewAt < LIST_AGE_MS;
  }

  /** When the list was last asked for, here or elsewhere. */
  get #listAt(): number {
    return Math.max(this.#listTriedAt, this.#options.memory.list?.askedAt ?? -Infinity);
  }

  /** Lets what other instances know, or are being told, stand in for a call of our own. */
  async #unlessElsewhere(subject: string, { leaves }: Aboard, ask: () => Promise<Landed>): Promise<Landed> {
    const { others, clock, upstreamTimeoutMs } = this.#options;
    if (!others) return ask();
    const until = clock.now() + upstreamTimeoutMs;
    const fence = others.fenceOf(subject);
    for (;;) {
      const known = await others.consult(subject, fence);
      const landed = known ?? (await ask());
      if (landed.ok || landed.isElsewhere !== true || clock.now() >= until) return landed;
      leaves();
      await others.news(subject, LOOK_EVERY_MS);
    }
  }

  async #askCard(sourceId: string, { leaves, readerWaits }: Aboard): Promise<Landed> {
    const { caller, memory, planner, upstream, clock } = this.#options;
    const isKnown = memory.ids.has(sourceId);
    const result = await caller.ask({
      question: { kind: 'pulse', sourceId },
      subject: sourceId,
      payer: isKnown ? 'known' : 'stranger',
      readerWaits,
      seenFence: () => this.#options.others?.fenceOf(sourceId),
      demand: () => planner.explain(sourceId, clock.now())?.viewsPerMinute ?? 0,
      call: (host, asking) => upstream.latestPulse(host, sourceId, asking),
      onLeave: (now) => {
        if (isKnown) planner.asked(sourceId, now);
        leaves();
      },
    });
    if (!result.ok) return this.#failed(sourceId, result);
    if (!this.#options.account.admits(result.owner)) return this.#failed(sourceId, NOT_OF_THIS_KEY);
    const pulse = result.value.kind === 'found' ? result.value.pulse : null;
    this.#came(sourceId, memory.keepAnswer(sourceId, pulse, result));
    this.#options.others?.tellPulse(sourceId, result);
    return { ok: true };
  }

  async #askList({ leaves, readerWaits }: Aboard): Promise<Landed> {
    const { caller, memory, planner, upstream, clock } = this.#options;
    this.#listTriedAt = clock.now();
    const result = await caller.ask<SourceRows>({
      question: { kind: 'sources' },
      subject: LIST_ID,
      payer: 'known',
      readerWaits,
      seenFence: () => this.#options.others?.fenceOf(LIST_ID),
      // Until there is a list, nobody can be told anything.
      demand: () => Infinity,
      call: (host, asking) => upstream.listSources(host, asking),
      onLeave: (now) => {
        planner.asked(LIST_ID, now);
        leaves();
      },
    });
    if (!result.ok) return this.#failed(LIST_ID, result);
    if (!this.#options.account.admits(result.owner)) return this.#failed(LIST_ID, NOT_OF_THIS_KEY);
    this.#listWantedForUnknown = false;
    const changed = memory.keepList(result.value, result);
    this.#answered(LIST_ID, changed);
    this.#options.others?.tellList();
    return { ok: true };
  }

  #came(sourceId: string, changed: Card | undefined): void {
    const { memory } = this.#options;
    if (!memory.ids.has(sourceId)) return this.#wasAbsent(sourceId);
    this.#answered(sourceId, changed !== undefined);
    if (changed) this.#announce(changed);
  }

  #announce(card: Card): void {
    for (const heard of this.#heard) heard(card);
  }

  #answered(subject: string, changed: boolean): void {
    const { rests, planner, clock, memory, key } = this.#options;
    rests.answered(subject);
    planner.refreshed(subject, clock.now(), { changed });
    memory.keyRefused(key.status(clock.now()).refusedForMs);
  }

  /** An id that the upstream does not know is left alone for longer and longer. */
  #wasAbsent(sourceId: string): void {
    const { rests, clock, random } = this.#options;
    rests.answered(sourceId);
    rests.strangerAbsent(sourceId, (inARow) => clock.now() + negativeMs(inARow, random));
  }

  #failed(subject: string, failed: Failed): Failed {
    if (!failed.wasAsked) return failed;
    const { planner, rests, clock, random, memory, key } = this.#options;
    const now = clock.now();
    const isOwnFault = failed.isDark !== true && failed.code !== 'upstream_auth';
    const until = isOwnFault
      ? rests.failed(subject, failed, (inARow) => now + backoffMs(inARow, random))
      : rests.sentToRest(subject, failed, now + failed.retryInMs);
    if (subject === LIST_ID || memory.ids.has(subject)) {
      planner.failed(subject, now);
      planner.restUntil(subject, until, now);
    }
    memory.keyRefused(key.status(now).refusedForMs);
    this.#options.others?.tellFailure(subject, failed, until - now);
    return { ...failed, retryInMs: until - now };
  }
}

function kindOf(subject: string): 'sources' | 'pulse' {
  return subject === LIST_ID ? 'sources' : 'pulse';
}
