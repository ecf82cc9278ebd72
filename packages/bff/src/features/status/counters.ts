import type { IncomingHttpHeaders } from 'node:http';
import { LRUCache } from 'lru-cache';
import { isSerializedOrigin } from '../../http/origins.ts';
import type { Clock } from '../../lib/clock.ts';
import type { ResponseRecord } from '../../http/request-context.ts';
import { IMAGE_ROUTE } from '../../http/route.ts';
import { SOURCES_ROUTE } from '../../http/routes/sources-route.ts';
import { errorKindOf } from './error-causes.ts';

/** Data answers in the last hour, by what the reader got. */
export interface AnswerCounts {
  /** Fresh, from the cache. */
  readonly fresh: number;
  /** An earlier version. */
  readonly stale: number;
  /** A new answer. The reader waited for a call to the service. */
  readonly waited: number;
  /**
   * A rejected request, for example because of its origin, a missing token, too many requests, or an unknown source.
   */
  readonly refused: number;
  /** An error, although the reader may see the chart. */
  readonly failed: number;
}

/** Chart images in the last five minutes. */
export interface ImageCounts {
  readonly loaded: number;
  readonly failed: number;
}

/** Answers to readers in the last five minutes. Probes, scripts, and pages aren't counted. */
export interface ReaderOutcomes {
  /**
   * Data answers with and without a chart. Requests that weren't entitled to a chart aren't counted. Refused requests
   * from other sites are left out, because they don't show what readers get.
   */
  readonly total: number;
  /** Answers without a chart, by error code. A batch in which a pulse is missing counts once. Images don't count. */
  readonly bad: Readonly<Record<string, number>>;
  /** The number of requests that exceeded the limit per client. */
  readonly limited: number;
}

/** Requests from one origin's pages that were refused with the same code, since startup. */
export interface Refusal {
  readonly code: string;
  /**
   * The origin. The origin is `none` for a request without `Origin`, and `other` for origins that aren't counted
   * separately.
   */
  readonly origin: string;
  readonly count: number;
  /** The source that was requested last, if the code is `source_unknown`. */
  readonly sourceId?: string | undefined;
}

/**
 * The number of views since midnight UTC, by source and page origin, highest first. Requests that don't name their
 * page's origin aren't counted.
 */
export interface ReadersToday {
  /** Midnight UTC as ISO 8601. */
  readonly since: string;
  readonly sources: readonly {
    readonly sourceId: string;
    readonly views: number;
    readonly origins: readonly { readonly origin: string; readonly views: number }[];
  }[];
}

export interface CountersOptions {
  readonly clock: Pick<Clock, 'now' | 'wallNow'>;
  /** Returns whether a source exists. Invented ids aren't counted. */
  readonly isKnown: (sourceId: string) => boolean;
  /** Returns whether there is something to serve. Earlier answers don't show what readers get. */
  readonly isReady: () => boolean;
  /**
   * Returns whether the number of remaining calls is known. With a new Redis server, readers must wait one window for
   * charts that aren't loaded.
   */
  readonly isBudgetReady: () => boolean;
}

/** A probe. Readers don't see the errors from this route. */
const READINESS_ROUTE = '/readyz';

const DAY_MS = 86_400_000;

/** The maximum number of sources whose readers are counted per day. */
const MAX_SOURCES = 1_000;

/** Counts what readers get, for the status. Each answer takes constant time, and the memory is bounded. */
export class Counters {
  readonly #options: CountersOptions;
  readonly #minutes: MinuteCounts;
  /** By cache result. */
  readonly #answers = new Map<string, number>();
  /** By code. */
  readonly #refusals = new Map<string, OriginCounts>();
  /** By source id. */
  readonly #today = new Map<string, OriginCounts>();
  #day = -1;
  #hasStarted = false;

  constructor(options: CountersOptions) {
    this.#options = options;
    this.#minutes = new MinuteCounts(options.clock);
  }

  record(response: ResponseRecord): void {
    const { route, code, sourceIds = [], request, cacheResult = 'none' } = response;
    this.#answers.set(cacheResult, (this.#answers.get(cacheResult) ?? 0) + 1);
    if (route === READINESS_ROUTE) return;
    const name = countOf(response);
    if (name !== undefined) this.#minutes.add(name);
    this.#hasStarted ||= this.#options.isReady();
    if (this.#hasStarted) this.#recordOutcome(response);
    if (code === undefined) this.#recordViews(sourceIds, pageOrigin(request.headers));
    else if (isRefusal(code)) this.#recordRefusal(code, request.headers.origin, sourceIds[0]);
  }

  /** The number of answers since startup, by what the cache did. */
  answers(): Record<string, number> {
    return Object.fromEntries(this.#answers);
  }

  /** Data answers in the last hour. */
  lastHour(): AnswerCounts {
    const { fresh = 0, stale = 0, waited = 0, refused = 0, failed = 0 } = this.#minutes.sums(60);
    return { fresh, stale, waited, refused, failed };
  }

  /** Chart images in the last five minutes. */
  images(): ImageCounts {
    const { imageLoaded: loaded = 0, imageFailed: failed = 0 } = this.#minutes.sums(5);
    return { loaded, failed };
  }

  /** Answers to readers in the last five minutes. */
  outcomes(): ReaderOutcomes {
    const { answered: total = 0, rate_limited: limited = 0, ...sums } = this.#minutes.sums(5);
    const bad = Object.fromEntries(Object.entries(sums).filter(([name]) => errorKindOf(name) === 'failed'));
    return { total, bad, limited };
  }

  /** All refusals since startup, with the most frequent ones first. */
  refusals(): Refusal[] {
    const refusals = [...this.#refusals].flatMap(([code, counts]) => counts.list().map((each) => ({ code, ...each })));
    return refusals.toSorted((a, b) => b.count - a.count);
  }

  readersToday(): ReadersToday {
    this.#startDay();
    const sources = Array.from(this.#today, ([sourceId, counts]) => {
      const origins = counts.list().map(({ origin, count }) => ({ origin, views: count }));
      return { sourceId, views: origins.reduce((sum, { views }) => sum + views, 0), origins };
    });
    const since = new Date(this.#day * DAY_MS).toISOString();
    return { since, sources: sources.toSorted((a, b) => b.views - a.views) };
  }

  #recordOutcome(response: ResponseRecord): void {
    // A failed image is counted separately, because the reader has received the pulse.
    if (isPicture(response)) return;
    const { code: ownCode, itemCode, cacheResult } = response;
    const code = ownCode ?? itemCode;
    const isBad = code !== undefined && errorKindOf(code) === 'failed';
    // The advice for this code is to ask for a higher limit, which wouldn't help while the budget is unknown.
    if (code === 'upstream_rate_limited' && !this.#options.isBudgetReady()) return;
    if (isBad) this.#minutes.add(code);
    // A pulse that doesn't fit into a batch also has this code, although the client hasn't exceeded its limit.
    if (ownCode === 'rate_limited') this.#minutes.add(ownCode);
    if (isBad || cacheResult !== undefined) this.#minutes.add('answered');
  }

  #recordRefusal(code: string, origin = 'none', sourceId?: string): void {
    let counts = this.#refusals.get(code);
    if (counts === undefined) this.#refusals.set(code, (counts = new OriginCounts()));
    counts.add(origin, code === 'source_unknown' ? sourceId : undefined);
  }

  #recordViews(sourceIds: readonly string[], origin: string | undefined): void {
    if (sourceIds.length === 0 || origin === undefined) return;
    this.#startDay();
    for (const sourceId of sourceIds) {
      if (!this.#today.has(sourceId)) {
        if (this.#today.size >= MAX_SOURCES || !this.#options.isKnown(sourceId)) continue;
        this.#today.set(sourceId, new OriginCounts());
      }
      this.#today.get(sourceId)?.add(origin);
    }
  }

  #startDay(): void {
    const today = Math.floor(this.#options.clock.wallNow() / DAY_MS);
    if (today !== this.#day) this.#today.clear();
    this.#day = today;
  }
}

function isRefusal(code: string): boolean {
  const kind = errorKindOf(code);
  return kind === 'refused' || kind === 'unknown';
}

/** The name under which an answer from the last hour is counted. */
function countOf(response: ResponseRecord): string | undefined {
  const { route, code, cacheResult, isEarlierVersion } = response;
  if (code && isRefusal(code)) return 'refused';
  const isFailed = code && errorKindOf(code) === 'failed';
  if (isPicture(response)) return isFailed ? 'imageFailed' : 'imageLoaded';
  if (isFailed) return 'failed';
  // A list has no chart.
  if (cacheResult === undefined || route === SOURCES_ROUTE) return undefined;
  if (isEarlierVersion === true) return 'stale';
  return cacheResult === 'hit' ? 'fresh' : 'waited';
}

/**
 * Returns whether the request was for the image of a pulse, and the pulse was found. If such a request fails, only the
 * image is affected.
 */
function isPicture({ route, cacheResult }: ResponseRecord): boolean {
  return route === IMAGE_ROUTE && cacheResult !== undefined;
}

/** The origin of the page that sent the request, from `Origin` or else from `Referer`. */
function pageOrigin({ origin, referer }: IncomingHttpHeaders): string | undefined {
  if (origin !== undefined && origin !== 'null') return origin;
  if (referer === undefined) return undefined;
  const pathAt = referer.indexOf('/', referer.indexOf('://') + 3);
  return pathAt === -1 ? referer : referer.slice(0, pathAt);
}

const MINUTE_MS = 60_000;
const MINUTES = 60;

/** Counts events by name and minute, over the last hour. */
class MinuteCounts {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #minutes = Array.from({ length: MINUTES }, () => ({ at: -MINUTES, counts: new Map<string, number>() }));

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  add(name: string): void {
    const at = Math.floor(this.#clock.now() / MINUTE_MS);
    let minute = this.#minutes[at % MINUTES];
    if (minute?.at !== at) minute = this.#minutes[at % MINUTES] = { at, counts: new Map() };
    minute.counts.set(name, (minute.counts.get(name) ?? 0) + 1);
  }

  /** Returns the counts by name over the last minutes, including the current one. */
  sums(minutes: number): Record<string, number> {
    const now = Math.floor(this.#clock.now() / MINUTE_MS);
    const sums: Record<string, number> = {};
    for (const minute of this.#minutes)
      if (now - minute.at < minutes) for (const [name, count] of minute.counts) sums[name] = (sums[name] ?? 0) + count;
    return sums;
  }
}

/**
 * The maximum number of origins that are counted separately. This limit is needed because a visitor can invent any
 * number of origins.
 */
const MAX_ORIGINS = 50;

interface OriginCount {
  readonly origin: string;
  count: number;
  sourceId?: string | undefined;
}

/** Counts by origin. The most recent origins are counted by name. All others are counted together as `other`. */
class OriginCounts {
  #others = 0;
  readonly #byOrigin = new LRUCache<string, OriginCount>({
    max: MAX_ORIGINS,
    dispose: ({ count }, _origin, reason) => void (this.#others += reason === 'evict' ? count : 0),
  });

  add(origin: string, sourceId?: string): void {
    let known = this.#byOrigin.get(origin);
    if (known === undefined) {
      if (origin !== 'none' && !isSerializedOrigin(origin)) return void (this.#others += 1);
      known = { origin, count: 0 };
      this.#byOrigin.set(origin, known);
    }
    known.count += 1;
    if (sourceId !== undefined) known.sourceId = sourceId;
  }

  /** Returns the counts, highest first. */
  list(): OriginCount[] {
    const others = this.#others === 0 ? [] : [{ origin: 'other', count: this.#others }];
    return [...this.#byOrigin.values(), ...others].toSorted((a, b) => b.count - a.count);
  }
}
