import type { ErrorCode } from '@pulse-card/contract';
import type { Clock } from '../clock.ts';
import type { ResponseRecord, ResponseRecorder } from '../http/context.ts';
import { IMAGE_ROUTE } from '../http/routes/image-route.ts';
import { SOURCES_ROUTE } from '../http/routes/sources-route.ts';
import { ReaderOutcomeCounter } from './reader-outcomes.ts';
import { REFUSAL_CODES, RefusalCounter } from './refusal-counter.ts';
import type { IncomingHttpHeaders } from 'node:http';
import { isSerializedOrigin } from '../http/origins.ts';

export interface ReaderStatisticsOptions {
  readonly clock: Clock;
  /** Returns whether a source exists: invented ids are not counted. */
  readonly isKnown: (sourceId: string) => boolean;
  /** Returns whether there is something to serve. */
  readonly isReady: () => boolean;
}

/** What readers got, for the status page. */
export class ReaderStatistics implements ResponseRecorder {
  readonly lastHour: AnswerCounter;
  readonly today: ReadersToday;
  readonly refusals: RefusalCounter;
  readonly outcomes: ReaderOutcomeCounter;
  readonly #isReady: () => boolean;
  #hasStarted = false;

  constructor({ clock, isKnown, isReady }: ReaderStatisticsOptions) {
    this.#isReady = isReady;
    this.lastHour = new AnswerCounter(clock);
    this.today = new ReadersToday(() => clock.wallNow(), isKnown);
    this.refusals = new RefusalCounter();
    this.outcomes = new ReaderOutcomeCounter(clock);
  }

  record(response: ResponseRecord): void {
    this.lastHour.record(response);
    // Who asks before there is anything to serve says nothing of how readers fare.
    this.#hasStarted ||= this.#isReady();
    if (this.#hasStarted) this.outcomes.record(response);
    if (response.code === undefined) this.today.record(response);
    else this.refusals.record(response);
  }
}

/** The answers of one hour are counted by minute, so that what is older can be dropped. */
const MINUTES = 60;
const MINUTE_MS = 60_000;

/** Pictures are judged by the last of these minutes. */
const IMAGE_MINUTES = 5;

/** Codes that keep a chart from a reader who may see it. */
const FAILURES: ReadonlySet<string> = new Set<ErrorCode>([
  'upstream_auth',
  'upstream_rate_limited',
  'upstream_unavailable',
  'upstream_invalid',
  'internal',
]);

/** Data answers of the last hour, by what the reader got. */
export interface AnswerCounts {
  /** From the cache, as new as it should be. */
  readonly fresh: number;
  /** An earlier version. */
  readonly stale: number;
  /** New, after a call to the service that the reader waited for. */
  readonly waited: number;
  /** Turned away: another origin, no token, too many requests, no such source. */
  readonly refused: number;
  /** An error, although the reader may see the chart. */
  readonly failed: number;
}

/** Pictures of charts over the last five minutes. */
export interface ImageCounts {
  readonly loaded: number;
  readonly failed: number;
}

/** What is looked at of an answer. */
export type CountedAnswer = Pick<ResponseRecord, 'route' | 'code' | 'cacheResult' | 'stale'>;

type Kind = keyof AnswerCounts | 'imageLoaded' | 'imageFailed';

type Minute = { at: number } & Record<Kind, number>;

/** Counts what readers got over the last hour, in constant time and room. */
export class AnswerCounter {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #minutes: Minute[] = Array.from({ length: MINUTES }, () => emptyMinute(-1));

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** Records a response. */
  record(answer: CountedAnswer): void {
    const kind = kindOf(answer);
    if (kind !== undefined) this.#minute()[kind] += 1;
  }

  counts(): AnswerCounts {
    const [fresh, stale, waited] = [this.#sum('fresh'), this.#sum('stale'), this.#sum('waited')];
    return { fresh, stale, waited, refused: this.#sum('refused'), failed: this.#sum('failed') };
  }

  images(): ImageCounts {
    return { loaded: this.#sum('imageLoaded', IMAGE_MINUTES), failed: this.#sum('imageFailed', IMAGE_MINUTES) };
  }

  #minute(): Minute {
    const at = Math.floor(this.#clock.now() / MINUTE_MS);
    const slot = at % MINUTES;
    const minute = this.#minutes[slot];
    if (minute?.at === at) return minute;
    return (this.#minutes[slot] = emptyMinute(at));
  }

  #sum(kind: Kind, minutes = MINUTES): number {
    const now = Math.floor(this.#clock.now() / MINUTE_MS);
    return this.#minutes.reduce((sum, minute) => (now - minute.at < minutes ? sum + minute[kind] : sum), 0);
  }
}

function emptyMinute(at: number): Minute {
  return { at, fresh: 0, stale: 0, waited: 0, refused: 0, failed: 0, imageLoaded: 0, imageFailed: 0 };
}

function kindOf({ route, code, cacheResult, stale }: CountedAnswer): Kind | undefined {
  if (REFUSAL_CODES.has(code)) return 'refused';
  const isFailed = code !== undefined && FAILURES.has(code);
  // A pulse was found, so that a failure is one of its picture.
  if (route === IMAGE_ROUTE && cacheResult !== undefined) return isFailed ? 'imageFailed' : 'imageLoaded';
  if (isFailed) return 'failed';
  // A list has no chart.
  if (cacheResult === undefined || route === SOURCES_ROUTE) return undefined;
  if (stale === true) return 'stale';
  return cacheResult === 'hit' ? 'fresh' : 'waited';
}

const DAY_MS = 86_400_000;

/** Sources that are counted a day, and origins of one source. */
const MAX_SOURCES = 1_000;
const MAX_ORIGINS = 50;

/** Counts origins beyond `MAX_ORIGINS` and values that are not origins. */
const OTHER = 'other';

/** Views of one source today, from pages of one origin. */
export interface OriginReaders {
  readonly origin: string;
  readonly views: number;
}

/** Views of one source today, by origin, most first. */
export interface SourceReaders {
  readonly sourceId: string;
  readonly views: number;
  readonly origins: readonly OriginReaders[];
}

/** Views since midnight UTC, where the request names the origin of its page. */
export interface ReadersTodayCounts {
  /** Midnight UTC as ISO 8601. */
  readonly since: string;
  readonly sources: readonly SourceReaders[];
}

/**
 * Counts views by source and page origin since midnight UTC, without addresses, cookies or paths. A view costs
 * two look-ups and an increment; the number of sources and origins is bounded.
 */
export class ReadersToday {
  readonly #wallNow: () => number;
  readonly #isKnown: (sourceId: string) => boolean;
  readonly #sources = new Map<string, Map<string, number>>();
  #day: number;

  /** `isKnown` returns whether a source exists: invented ids are not counted. */
  constructor(wallNow: () => number, isKnown: (sourceId: string) => boolean) {
    this.#wallNow = wallNow;
    this.#isKnown = isKnown;
    this.#day = this.#today();
  }

  /** Records a view of each source that was answered. */
  record({ code, sourceIds = [], request }: Pick<ResponseRecord, 'code' | 'sourceIds' | 'request'>): void {
    if (code !== undefined || sourceIds.length === 0) return;
    const origin = pageOrigin(request.headers);
    if (origin === undefined) return;
    this.#startDay();
    for (const sourceId of sourceIds) this.#count(sourceId, origin);
  }

  counts(): ReadersTodayCounts {
    this.#startDay();
    const sources = Array.from(this.#sources, ([sourceId, counts]) => {
      const origins = Array.from(counts, ([origin, views]) => ({ origin, views })).toSorted(
        (a, b) => b.views - a.views,
      );
      return { sourceId, views: origins.reduce((sum, { views }) => sum + views, 0), origins };
    });
    return {
      since: new Date(this.#day * DAY_MS).toISOString(),
      sources: sources.toSorted((a, b) => b.views - a.views),
    };
  }

  #count(sourceId: string, origin: string): void {
    const counts = this.#sources.get(sourceId) ?? this.#addSource(sourceId);
    if (counts === undefined) return;
    const name = counts.has(origin) || isCountable(origin, counts) ? origin : OTHER;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }

  #addSource(sourceId: string): Map<string, number> | undefined {
    if (this.#sources.size >= MAX_SOURCES || !this.#isKnown(sourceId)) return undefined;
    const counts = new Map<string, number>();
    this.#sources.set(sourceId, counts);
    return counts;
  }

  #startDay(): void {
    const today = this.#today();
    if (today === this.#day) return;
    this.#day = today;
    this.#sources.clear();
  }

  #today(): number {
    return Math.floor(this.#wallNow() / DAY_MS);
  }
}

function isCountable(origin: string, counts: ReadonlyMap<string, number>): boolean {
  return counts.size < MAX_ORIGINS && isSerializedOrigin(origin);
}

/** The origin of the page that asks: its `Origin`, or that part of its `Referer`. */
function pageOrigin({ origin, referer }: IncomingHttpHeaders): string | undefined {
  if (origin !== undefined && origin !== 'null') return origin;
  if (referer === undefined) return undefined;
  const pathAt = referer.indexOf('/', referer.indexOf('://') + 3);
  return pathAt === -1 ? referer : referer.slice(0, pathAt);
}
