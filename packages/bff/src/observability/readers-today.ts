import type { IncomingHttpHeaders } from 'node:http';
import { isSerializedOrigin } from '../auth/origin-policy.ts';
import type { ResponseRecord } from '../http/request-context.ts';

const DAY_MS = 86_400_000;

/** Sources that are counted a day, and origins of one source. */
const MAX_SOURCES = 1_000;
const MAX_ORIGINS = 50;

/** Stands for origins beyond `MAX_ORIGINS`, and for what is no origin. */
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
 * Counts views by source and page origin since midnight UTC: numbers alone, no address, no cookie, no path. A view costs
 * two look-ups and an increment; the number of sources and origins is bounded.
 */
export class ReadersToday {
  readonly #wallNow: () => number;
  readonly #isKnown: (sourceId: string) => boolean;
  readonly #sources = new Map<string, Map<string, number>>();
  #day: number;

  /** `isKnown` says whether a source exists, so that no visitor's invention is counted. */
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
