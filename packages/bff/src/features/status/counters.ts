import type { ErrorCode } from '@pulse-card/contract';
import { LRUCache } from 'lru-cache';
import type { RequestRecord } from '../../http/locals.ts';
import { isSerializedOrigin } from '../../http/origins.ts';
import type { Clock } from '../../lib/clock.ts';

/**
 * What an error code means for a reader. `refused`: a rule rejects the request. `failed`: the reader may see the chart,
 * but doesn't get it. Other codes are normal responses.
 */
function kindOf(code: ErrorCode | undefined): 'refused' | 'failed' | undefined {
  if (code === undefined) return undefined;
  return FAILED.test(code) ? 'failed' : REFUSED.test(code) ? 'refused' : undefined;
}

const FAILED = /^(?:upstream_\w+|internal)$/;
const REFUSED = /^(?:(?:origin|token)_\w+|signed_out|rate_limited|source_unknown|bad_request)$/;

const MINUTE_MS = 60_000;
const MINUTES = 60;
const DAY_MS = 86_400_000;

/** A visitor can invent any number of origins, so only the latest ones are counted by name. */
const MAX_ORIGINS = 50;

/** The maximum number of sources whose readers are counted per day. */
const MAX_SOURCES = 1_000;

/** A count by origin: the most recent origins by name, the others together as `other`. */
export interface OriginCount {
  readonly origin: string;
  count: number;
  /** The source that was requested last. */
  sourceId?: string | undefined;
}

type OriginViews = Readonly<{ origin: string; views: number }>;

/** What readers got. */
export interface Counts {
  /**
   * Responses with data in the last hour. `waited`: the reader waited for a call. `refused`: a rule rejected the
   * request.
   */
  readonly lastHour: Readonly<Record<'fresh' | 'stale' | 'waited' | 'refused' | 'failed', number>>;
  /** Chart images in the last five minutes. */
  readonly images: { readonly loaded: number; readonly failed: number };
  /**
   * The last five minutes: all responses to requests that are entitled to a chart, those without one by error code, and
   * requests beyond the limit per client. A batch in which a pulse is missing counts once.
   */
  readonly outcomes: {
    readonly total: number;
    readonly bad: Readonly<Record<string, number>>;
    readonly limited: number;
  };
  /** Requests that a rule rejected since startup, most frequent first. */
  readonly refusals: readonly (OriginCount & { readonly code: ErrorCode })[];
  /** Views since midnight UTC, by source and origin of the page, highest first. */
  readonly readersToday: {
    readonly since: string;
    readonly sources: readonly { sourceId: string; views: number; origins: readonly OriginViews[] }[];
  };
}

export interface CountersOptions {
  readonly clock: Pick<Clock, 'now' | 'wallNow'>;
  /** Whether a source exists. Invented IDs aren't counted. */
  readonly isKnown: (sourceId: string) => boolean;
  /** Whether there is something to serve. What readers got before doesn't show what they get. */
  readonly isReady: () => boolean;
}

/** Counts what readers get, for the status. Memory is bounded. */
export class Counters {
  readonly #options: CountersOptions;
  readonly #minutes = Array.from({ length: MINUTES }, () => ({ at: -MINUTES, counts: new Map<string, number>() }));
  readonly #refusals = new Map<ErrorCode, OriginCounts>();
  readonly #today = new Map<string, OriginCounts>();
  #day = -1;
  #hasStarted = false;

  constructor(options: CountersOptions) {
    this.#options = options;
  }

  record({ route, code, itemCode, cache, isStale, sourceIds, origin, referer }: RequestRecord): void {
    // Readers don't see the errors of a probe.
    if (route === '/readyz') return;
    this.#hasStarted ||= this.#options.isReady();
    const kind = kindOf(code);
    const failedCode = [code, itemCode].find((each) => kindOf(each) === 'failed');
    if (code !== undefined && kind === 'refused') this.#refuse(code, origin, sourceIds[0]);
    else if (route.endsWith('/image') && cache !== undefined)
      this.#add(failedCode === undefined ? 'loaded' : 'imageFailed');
    else if (failedCode !== undefined || cache !== undefined) {
      if (this.#hasStarted) this.#add('total');
      if (this.#hasStarted && failedCode !== undefined) this.#add(`bad ${failedCode}`);
      if (kind === 'failed') this.#add('failed');
      // A list has no chart.
      else if (route !== '/v1/sources' && cache !== undefined)
        this.#add(isStale ? 'stale' : cache === 'hit' ? 'fresh' : 'waited');
    }
    if (code === undefined) this.#view(sourceIds, pageOrigin(origin, referer));
  }

  counts(): Counts {
    const { fresh = 0, stale = 0, waited = 0, refused = 0, failed = 0 } = this.#sums(60);
    const { total = 0, rate_limited: limited = 0, loaded = 0, imageFailed = 0, ...recent } = this.#sums(5);
    const bad = Object.entries(recent).filter(([name]) => name.startsWith('bad '));
    const refusals = [...this.#refusals].flatMap(([code, counts]) => counts.list().map((each) => ({ code, ...each })));
    return {
      lastHour: { fresh, stale, waited, refused, failed },
      images: { loaded, failed: imageFailed },
      outcomes: { total, bad: Object.fromEntries(bad.map(([name, count]) => [name.slice(4), count])), limited },
      refusals: refusals.toSorted((a, b) => b.count - a.count),
      readersToday: this.#readersToday(),
    };
  }

  #refuse(code: ErrorCode, origin = 'none', sourceId?: string): void {
    this.#add('refused');
    if (code === 'rate_limited') this.#add(code);
    countsOf(this.#refusals, code).add(origin, code === 'source_unknown' ? sourceId : undefined);
  }

  #view(sourceIds: readonly string[], origin: string | undefined): void {
    if (origin === undefined) return;
    this.#startDay();
    for (const sourceId of sourceIds) {
      const mayBeAdded = this.#today.size < MAX_SOURCES && this.#options.isKnown(sourceId);
      if (mayBeAdded || this.#today.has(sourceId)) countsOf(this.#today, sourceId).add(origin);
    }
  }

  #readersToday(): Counts['readersToday'] {
    this.#startDay();
    const sources = Array.from(this.#today, ([sourceId, counts]) => {
      const origins = counts.list().map(({ origin, count }) => ({ origin, views: count }));
      return { sourceId, views: origins.reduce((sum, { views }) => sum + views, 0), origins };
    });
    const since = new Date(this.#day * DAY_MS).toISOString();
    return { since, sources: sources.toSorted((a, b) => b.views - a.views) };
  }

  #startDay(): void {
    const today = Math.floor(this.#options.clock.wallNow() / DAY_MS);
    if (today !== this.#day) this.#today.clear();
    this.#day = today;
  }

  #add(name: string): void {
    const at = Math.floor(this.#options.clock.now() / MINUTE_MS);
    let minute = this.#minutes[at % MINUTES];
    if (minute?.at !== at) minute = this.#minutes[at % MINUTES] = { at, counts: new Map() };
    minute.counts.set(name, (minute.counts.get(name) ?? 0) + 1);
  }

  /** The counts by name over the last minutes, including the current one. */
  #sums(minutes: number): Record<string, number> {
    const now = Math.floor(this.#options.clock.now() / MINUTE_MS);
    const sums: Record<string, number> = {};
    for (const { at, counts } of this.#minutes)
      if (now - at < minutes) for (const [name, count] of counts) sums[name] = (sums[name] ?? 0) + count;
    return sums;
  }
}

/** The origin of the page that sent the request, from `Origin` or else from `Referer`. */
function pageOrigin(origin: string | undefined, referer = ''): string | undefined {
  if (origin !== undefined && origin !== 'null') return origin;
  return /^[a-z][\w+.-]*:\/\/[^/]+/i.exec(referer)?.[0];
}

function countsOf<Name>(counts: Map<Name, OriginCounts>, name: Name): OriginCounts {
  const known = counts.get(name) ?? new OriginCounts();
  counts.set(name, known);
  return known;
}

class OriginCounts {
  #others = 0;
  readonly #byOrigin = new LRUCache<string, OriginCount>({
    max: MAX_ORIGINS,
    dispose: ({ count }, _origin, reason) => void (this.#others += reason === 'evict' ? count : 0),
  });

  add(origin: string, sourceId?: string): void {
    const known = this.#byOrigin.get(origin);
    if (known !== undefined) Object.assign(known, { count: known.count + 1, ...(sourceId && { sourceId }) });
    else if (origin === 'none' || isSerializedOrigin(origin))
      this.#byOrigin.set(origin, { origin, count: 1, sourceId });
    else this.#others += 1;
  }

  /** Highest first. */
  list(): OriginCount[] {
    const others = this.#others === 0 ? [] : [{ origin: 'other', count: this.#others }];
    return [...this.#byOrigin.values(), ...others].toSorted((a, b) => b.count - a.count);
  }
}
