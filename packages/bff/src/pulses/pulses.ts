import { type ErrorCode, isSourceId, type ReadPulse, type ReadSource } from '@pulse-card/contract';
import type { Config } from '../config.ts';
import { type Clock, within } from '../lib/clock.ts';
import { failed, PUBLIC_CODES } from '../upstream/failure.ts';
import { isList, LIST, type SourceRows } from '../upstream/target.ts';
import type { Answers } from './answers.ts';
import type { Entry } from './entry-format.ts';
import { type Hit, hitIn } from './freshness.ts';
import { type AllowedSources, KnownIds } from './known-ids.ts';
import { Readiness } from './readiness.ts';

export type { Hit } from './freshness.ts';
export type { AllowedSources } from './known-ids.ts';

/** How long a reader who could get a stale response waits for a newer one. */
const STALE_WAIT_MS = 500;

/** Why there is no value. */
export interface Miss {
  readonly ok: false;
  readonly code: ErrorCode;
  readonly retryInMs?: number | undefined;
}

export type Lookup<Value> = Hit<Value> | Miss;

/** A source as readers see it. */
export interface SourceSnapshot {
  readonly sourceId: string;
  /** Null if the service responded that there is none. */
  readonly pulse: ReadPulse | null;
  /** The source's row in the list; null if the source isn't listed. */
  readonly source: ReadSource | null;
  /** In ms since the Unix epoch. */
  readonly requestedAtMs: number;
}

/** The list of sources, and when it was requested. */
export interface SourceList extends Pick<Entry, 'requestedAtMs'> {
  readonly value: SourceRows;
}

type Freshness = 'fresh' | 'stale' | 'expired' | 'never-answered';

/** The state of a source, or of the list, as `/status` shows it. */
export type SourceFacts = ReturnType<Pulses['status']>['list'];

export interface PulsesOptions {
  readonly answers: Answers;
  readonly config: Pick<Config, 'sources' | 'freshMs' | 'staleMs' | 'authStaleMs' | 'access'>;
  readonly clock: Clock;
  /** Called with every snapshot that is already cached, and later with each new one. */
  readonly onStored?: (snapshot: SourceSnapshot) => void;
}

/** The pulses that one router serves: which IDs it knows, and what readers get for them. */
export class Pulses {
  readonly answers: Answers;
  readonly #options: PulsesOptions;
  readonly ids: KnownIds;
  readonly #readiness: Readiness;
  #rows: ReadonlyMap<string, ReadSource> = new Map();

  constructor(options: PulsesOptions) {
    const { answers, config } = options;
    this.answers = answers;
    this.#options = options;
    this.ids = new KnownIds(config.sources, answers.listedIds);
    this.#readiness = new Readiness({ ...options, ids: this.ids });
    const list = answers.get(LIST);
    if (list) this.#stored(LIST, list);
    for (const id of this.ids.all) {
      const hit = this.peek(id);
      if (hit) options.onStored?.(hit.value);
    }
    answers.events.on('stored', this.#stored).on('purged', this.#purge);
  }

  /**
   * Looks up a source. Resolves immediately if no newer response is worth waiting for, and otherwise within the time
   * that a reader waits. Never rejects. `viewer`: the viewer for whom the lookup counts as one view; if null, it
   * doesn't count.
   */
  async read(id: string, allowed: AllowedSources, viewer: string | null): Promise<Lookup<SourceSnapshot>> {
    const refusal = this.#refusal(id, allowed);
    if (refusal) return refusal;
    const endsAt = this.#now() + this.answers.upstream.timeoutMs;
    if (!this.ids.has(id, allowed)) {
      // The first list may contain the ID. The list and the pulse share one deadline.
      const failure = await within(this.#options.clock, endsAt - this.#now(), this.answers.fetch(LIST));
      if (!this.ids.has(id, allowed)) return this.#refusal(id, allowed) ?? missOf(failure);
    }
    const lookup = await this.#lookUp(id, viewer, endsAt);
    return lookup.ok ? { ...lookup, value: this.#snapshotOf(id, lookup.value) } : lookup;
  }

  /** Looks up the list with all its rows. */
  async readList(viewer: string | null): Promise<Lookup<SourceList>> {
    const endsAt = this.#now() + this.answers.upstream.timeoutMs;
    return (await this.#lookUp(LIST, viewer, endsAt)) as Lookup<SourceList>;
  }

  /** The cached response for a source. Doesn't make a call or count as a view. */
  cached(id: string, allowed: AllowedSources): Lookup<SourceSnapshot> {
    return this.#refusal(id, allowed) ?? this.peek(id, allowed) ?? missOf();
  }

  /** The cached response for a known source. */
  peek(id: string, allowed: AllowedSources = 'all'): Hit<SourceSnapshot> | undefined {
    const hit = this.ids.has(id, allowed) ? this.#hit(id) : undefined;
    return hit && { ...hit, value: this.#snapshotOf(id, hit.value) };
  }

  /** Whether this instance should get traffic. */
  isReady(): boolean {
    return this.#readiness.isReady();
  }

  /** The state of the list and of every known source. */
  status() {
    const list = this.answers.get(LIST)?.value as SourceRows | undefined;
    return {
      ready: this.isReady(),
      list: this.#factsOf(LIST),
      /** How many rows in the list couldn't be parsed and were omitted. */
      unreadableRows: list?.unreadableRows ?? 0,
      sources: this.ids.all.map((id) => this.#factsOf(id)),
    };
  }

  /** Starts getting ready. */
  start(): void {
    this.answers.wanted.add(this.#readiness.wanted);
    this.#readiness.start();
  }

  close(): void {
    this.answers.wanted.delete(this.#readiness.wanted);
    this.answers.events.off('stored', this.#stored).off('purged', this.#purge);
  }

  #factsOf(target: string) {
    const { views, upstream } = this.answers;
    const { freshMs } = this.#options.config;
    const entry = this.answers.get(target);
    const hit = this.#hit(target);
    const ageMs = entry ? this.answers.ageMs(target) : null;
    const row = this.#rows.get(target);
    const pulse = entry?.value && 'jobRunId' in entry.value ? entry.value : null;
    const freshness: Freshness =
      ageMs === null ? 'never-answered' : ageMs < freshMs ? 'fresh' : hit ? 'stale' : 'expired';
    return {
      sourceId: target,
      /** The name and provider that the list contains for this source; null if it contains none. */
      name: row?.name ?? pulse?.sourceName ?? null,
      provider: row?.provider ?? null,
      /** The status that the list contains for this source, such as `BROKEN`. */
      status: row?.status ?? null,
      freshness,
      hasPulse: pulse !== null,
      /** Whether the response is marked as stale. */
      isStale: entry !== undefined && (hit?.isStale ?? true),
      ageMs,
      /** How much longer readers get this response; 0 if they don't. */
      lastsMs: hit?.staleForMs ?? 0,
      /** ISO 8601. */
      requestedAt: entry ? new Date(entry.requestedAtMs).toISOString() : null,
      /** How long until the next refresh; null if no one has viewed the source since the last one. */
      nextRefreshInMs: views.of(target) > 0 ? Math.max(0, freshMs - (ageMs ?? Infinity)) : null,
      viewsPerMinute: views.perMinuteOf(target),
      /** Null once a call has succeeded. */
      lastFailure: upstream.backoffs.last(target) ?? null,
    };
  }

  /** Why a request can't see an ID, whether the ID is known or not. The first list may still make an ID known. */
  #refusal(id: string, allowed: AllowedSources): Miss | undefined {
    if (!isSourceId(id)) return { ok: false, code: 'invalid_source_id' };
    if (this.ids.has(id, allowed)) return undefined;
    if (typeof allowed !== 'string') return { ok: false, code: 'token_forbidden' };
    return this.#isListAwaited ? undefined : { ok: false, code: 'source_unknown' };
  }

  /** Whether the first list is still missing. */
  get #isListAwaited(): boolean {
    return this.ids.followsList && this.answers.get(LIST) === undefined;
  }

  async #lookUp(target: string, viewer: string | null, endsAt: number): Promise<Lookup<Entry>> {
    const { clock, config } = this.#options;
    if (viewer !== null) this.answers.views.view(target, viewer);
    const before = this.#hit(target);
    if (before && (before.ageMs < config.freshMs || !this.#isWorthWaiting(target, before.ageMs))) return before;
    const [waitMs, cache] = before ? [STALE_WAIT_MS, 'stale' as const] : [endsAt - this.#now(), 'miss' as const];
    const failure = await within(clock, waitMs, this.answers.fetch(target, { isAwaited: cache === 'miss' }));
    const hit = this.#hit(target);
    if (hit === undefined) return missOf(failure);
    return hit.value === before?.value ? hit : { ...hit, cache };
  }

  /**
   * Whether a reader who could get a stale response should wait for a newer one: only if a call is possible, and either
   * it's worth as much as the best planned one or calls are plentiful.
   */
  #isWorthWaiting(target: string, ageMs: number): boolean {
    const { upstream, views } = this.answers;
    if (upstream.hosts.areAllDown || upstream.whyNoCall(target) !== undefined) return false;
    const { left, maxLeft } = upstream.status().budget;
    return left > maxLeft / 2 || views.of(target) * ageMs >= views.bestValue;
  }

  #hit(target: string): Hit<Entry> | undefined {
    return hitIn(this.answers, target, this.#options.config);
  }

  #snapshotOf(sourceId: string, { value, requestedAtMs }: Entry): SourceSnapshot {
    const source = this.#rows.get(sourceId) ?? null;
    return { sourceId, pulse: value as ReadPulse | null, source, requestedAtMs };
  }

  readonly #stored = (target: string, entry: Entry): void => {
    if (isList(entry.value)) {
      this.#rows = new Map(entry.value.rows.map((row) => [row.id, row]));
      for (const id of this.#readiness.wanted()) void this.answers.fetch(id);
    } else this.#options.onStored?.(this.#snapshotOf(target, entry));
  };

  readonly #purge = (): void => {
    this.#rows = new Map();
    this.ids.clear();
  };

  #now(): number {
    return this.#options.clock.now();
  }
}

/** If there is no failure to report, the first call may still be pending. */
function missOf({ code, retryInMs } = failed('starting', 5_000)): Miss {
  return { ok: false, code: PUBLIC_CODES[code], retryInMs };
}
