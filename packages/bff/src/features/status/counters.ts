import type { ErrorCode } from '@pulse-card/contract';
import { LRUCache } from 'lru-cache';
import type { RequestRecord } from '../../http/locals.ts';
import { isSerializedOrigin } from '../../http/origins.ts';
import type { Clock } from '../../lib/clock.ts';
import type { KnownIds } from '../../pulses/known-ids.ts';
import type { Pulses } from '../../pulses/pulses.ts';

/** The reader is allowed to see the chart but doesn't get it. */
const FAILED = /^(?:upstream_\w+|internal)$/;

/** A rule rejects the request. Other codes are normal responses. */
const REFUSED = /^(?:(?:origin|token)_\w+|signed_out|rate_limited|source_unknown)$/;

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** A visitor can make up any number of origins, so only the latest ones are counted by name. */
const MAX_ORIGINS = 50;

/** The maximum number of sources whose readers are counted per day. */
const MAX_SOURCES = 1_000;

type CountedPulses = Pick<Pulses, 'isReady'> & { readonly ids: Pick<KnownIds, 'has'> };

/** Counts what readers get, for the status. Memory is bounded. */
export class Counters {
  readonly #clock: Clock;
  readonly #pulses: CountedPulses;
  /** Counts by name for each of the last 60 minutes. */
  readonly #minutes = new LRUCache<number, Map<string, number>>({ max: 60 });
  readonly #refusals = new Map<ErrorCode, OriginCounts>();
  readonly #today = new Map<string, OriginCounts>();
  #day = -1;
  #hasStarted = false;
  #isBehindUnknownProxy = false;

  constructor(clock: Clock, pulses: CountedPulses) {
    this.#clock = clock;
    this.#pulses = pulses;
  }

  readonly record = (facts: RequestRecord): void => {
    const { route, code, itemCodes = [], cache, isStale, missingId, sourceIds, origin, referer } = facts;
    this.#isBehindUnknownProxy ||= facts.isUntrustedProxy;
    // Readers don't see errors from probes.
    if (route === '/readyz') return;
    // Responses sent before there was anything to serve don't reflect what readers get now.
    this.#hasStarted ||= this.#pulses.isReady();
    const charts = Math.max(1, sourceIds.length);
    const codes = code === undefined ? itemCodes : Array<ErrorCode>(charts).fill(code);
    const failures = codes.filter((each) => FAILED.test(each));
    if (code !== undefined && REFUSED.test(code)) this.#refuse(code, origin, sourceIds[0]);
    else if (route.endsWith('/image') && cache !== undefined)
      this.#add(failures.length > 0 ? 'imageFailed' : 'imageLoaded');
    else if (failures.length > 0 || cache !== undefined) {
      if (this.#hasStarted) this.#add('total', charts - codes.length + failures.length);
      if (this.#hasStarted) for (const each of failures) this.#add(each);
      if (code !== undefined && failures.length > 0) this.#add('failed');
      // A list has no chart.
      else if (route !== '/v1/sources' && cache !== undefined)
        this.#add(isStale ? 'stale' : cache === 'hit' ? 'fresh' : 'waited');
    }
    if (missingId !== undefined) this.#refuse('source_unknown', origin, missingId);
    if (code === undefined) this.#view(sourceIds, pageOrigin(origin, referer));
  };

  counts() {
    const { fresh = 0, stale = 0, waited = 0, refused = 0, failed = 0 } = this.#sums(60);
    const { total = 0, rate_limited: limited = 0, imageLoaded = 0, imageFailed = 0, ...recent } = this.#sums(5);
    const bad = Object.fromEntries(Object.entries(recent).filter(([name]) => FAILED.test(name)));
    const refusals = [...this.#refusals].flatMap(([code, counts]) => counts.list().map((each) => ({ code, ...each })));
    return {
      /**
       * Responses with data in the last hour. `waited`: the reader waited for a call. `refused`: a rule rejected the
       * request.
       */
      lastHour: { fresh, stale, waited, refused, failed },
      /** Chart images in the last five minutes. */
      images: { loaded: imageLoaded, failed: imageFailed },
      /**
       * In the last five minutes: all charts that readers requested and may see, the missing ones by error code, and
       * requests over the per-client limit. Each pulse in a batch counts.
       */
      outcomes: { total, bad, limited },
      /** Requests that a rule rejected since startup, most frequent first. */
      refusals: refusals.toSorted((a, b) => b.count - a.count),
      /** Views since midnight UTC, by source and page origin, highest first. */
      readersToday: this.#readersToday(),
      /** Whether requests came through a proxy that `TRUST_PROXY` doesn't include. */
      isBehindUnknownProxy: this.#isBehindUnknownProxy,
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
      // Made-up IDs aren't counted.
      const mayBeAdded = this.#today.size < MAX_SOURCES && this.#pulses.ids.has(sourceId);
      if (mayBeAdded || this.#today.has(sourceId)) countsOf(this.#today, sourceId).add(origin);
    }
  }

  #readersToday() {
    this.#startDay();
    const sources = Array.from(this.#today, ([sourceId, counts]) => {
      const origins = counts.list().map(({ origin, count }) => ({ origin, views: count }));
      return { sourceId, views: origins.reduce((sum, { views }) => sum + views, 0), origins };
    });
    const since = new Date(this.#day * DAY_MS).toISOString();
    return { since, sources: sources.toSorted((a, b) => b.views - a.views) };
  }

  #startDay(): void {
    const today = Math.floor(this.#clock.wallNow() / DAY_MS);
    if (today !== this.#day) this.#today.clear();
    this.#day = today;
  }

  #add(name: string, count = 1): void {
    const minute = Math.floor(this.#clock.now() / MINUTE_MS);
    const counts = this.#minutes.get(minute) ?? new Map<string, number>();
    this.#minutes.set(minute, counts.set(name, (counts.get(name) ?? 0) + count));
  }

  /** The counts by name over the last `minutes`, including the current one. */
  #sums(minutes: number): Record<string, number> {
    const now = Math.floor(this.#clock.now() / MINUTE_MS);
    const sums: Record<string, number> = {};
    for (const [at, counts] of this.#minutes.entries())
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

/** A count by origin: the most recent origins by name, the others together as `other`. */
class OriginCounts {
  #others = 0;
  /** `sourceId` is the source that was requested last. */
  readonly #byOrigin = new LRUCache<string, { count: number; sourceId: string | undefined }>({
    max: MAX_ORIGINS,
    dispose: ({ count }, _origin, reason) => void (this.#others += reason === 'evict' ? count : 0),
  });

  add(origin: string, sourceId?: string): void {
    const known = this.#byOrigin.get(origin);
    if (origin !== 'none' && !isSerializedOrigin(origin)) this.#others += 1;
    else this.#byOrigin.set(origin, { count: (known?.count ?? 0) + 1, sourceId: sourceId ?? known?.sourceId });
  }

  /** Highest first. */
  list() {
    const named = Array.from(this.#byOrigin.entries(), ([origin, counted]) => ({ origin, ...counted }));
    const others = { origin: 'other', count: this.#others, sourceId: undefined };
    return [...named, ...(this.#others === 0 ? [] : [others])].toSorted((a, b) => b.count - a.count);
  }
}
