import type { ReadPulse } from '@pulse-card/contract';
import type { CallBudget } from '../budget/call-budget.ts';
import type { FetchFailure, FetchSuccess } from '../upstream/fetch-result.ts';
import { type FetchRequest, UpstreamFetcher } from '../upstream/upstream-fetcher.ts';
import type { SharedCache, SharedFailure, SharedEntry } from '../cache/port.ts';
import type { Clock } from '../clock.ts';
import { LIST_ID } from '../planner/refresh-planner.ts';
import type { PulseFound, SourceRows, Upstream } from '../upstream/port.ts';

/** How long a call waits for the budget at most, in windows of the key. */
const MAX_WAIT_WINDOWS = 3;

/** How often to check the shared cache while a running instance makes the same call, in ms. */
const POLL_MS = 100;

/** The result of a call. */
export type FetchResult<Value> = FetchSuccess<Value> | FetchFailure;

/** Makes the calls of an export, one after another. Rejects with the reason of the signal once that is aborted. */
export interface ExportFetcher {
  sources(): Promise<FetchResult<SourceRows>>;
  pulse(sourceId: string): Promise<FetchResult<PulseFound>>;
}

/** What the fetcher is made of. */
export interface ExportFetcherOptions {
  readonly upstream: Upstream;
  readonly callBudget: CallBudget;
  readonly clock: Clock;
  readonly hasAltHost: boolean;
  readonly upstreamTimeoutMs: number;
  readonly windowMs: number;
  readonly signal: AbortSignal;
  /** The cache of running instances. @default there are none */
  readonly shared?: SharedCache | undefined;
  /** How old an entry of the shared cache may be, in ms. */
  readonly freshForMs: number;
}

/** One call with its subject in the shared cache. */
interface ExportRequest<Value> {
  readonly subject: string;
  readonly fetch: (request: FetchRequest) => Promise<FetchResult<Value>>;
  /** The entry of the shared cache as a result. */
  readonly resultIn: (found: SharedEntry) => FetchSuccess<Value> | undefined;
}

/**
 * Makes a fetcher that takes each call from the budget, tries both hosts, and waits where the budget is used up. It uses recent
 * entries of the shared cache, and stores its own results there.
 */
export function createExportFetcher(options: ExportFetcherOptions): ExportFetcher {
  const { upstream, callBudget, clock, hasAltHost, upstreamTimeoutMs, windowMs, signal, shared, freshForMs } = options;
  const upstreamFetcher = new UpstreamFetcher({ upstream, callBudget, hasAltHost, upstreamTimeoutMs, clock });
  signal.addEventListener('abort', () => upstreamFetcher.close(), { once: true });

  async function fetchOrWait<Value>({ subject, fetch, resultIn }: ExportRequest<Value>): Promise<FetchResult<Value>> {
    for (let timeoutMs = MAX_WAIT_WINDOWS * windowMs; ;) {
      signal.throwIfAborted();
      const found = (await shared?.get(subject)) ?? {};
      const known = resultIn(found);
      if (known && clock.now() - known.requestedAt < freshForMs) return known;
      if (found.failure) return failedElsewhere(found.failure);
      const result = await fetch({
        subject,
        isUserFacing: () => true,
        demand: () => 1,
        seenFencingToken: () => known?.fencingToken,
        onSent: () => {},
      });
      signal.throwIfAborted();
      if (result.ok || !isWorthWaiting(result) || timeoutMs <= 0) return result;
      const forMs = result.inFlightElsewhere ? POLL_MS : Math.max(1_000, result.retryInMs);
      timeoutMs -= forMs;
      await waitFor(forMs);
    }
  }

  /** Waits, no longer than until the export is stopped. */
  async function waitFor(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => resolve(), { once: true });
    const cancel = clock.schedule(ms, resolve);
    await promise;
    cancel();
  }

  return {
    async sources() {
      const result = await fetchOrWait<SourceRows>({
        subject: LIST_ID,
        fetch: (request) => upstreamFetcher.fetchSources(request),
        resultIn: ({ list }) => list && { ...list, ok: true, value: list },
      });
      if (result.ok && result.owner && shared) {
        const { list } = await shared.get(LIST_ID);
        const discovered = new Set([...(list?.discovered ?? []), ...result.value.rows.map(({ id }) => id)]);
        shared.storeList({ ...result, ...result.value, keyName: result.owner.keyName, discovered: [...discovered] });
      }
      return result;
    },
    async pulse(sourceId) {
      const result = await fetchOrWait<PulseFound>({
        subject: sourceId,
        fetch: (request) => upstreamFetcher.fetchPulse(request),
        resultIn: ({ pulse }) => pulse && { ...pulse, ok: true, value: foundOf(pulse.pulse) },
      });
      if (result.ok && result.owner)
        shared?.storePulse(sourceId, { ...result, keyName: result.owner.keyName, pulse: pulseIn(result.value) });
      return result;
    },
  };
}

/** Returns whether a call that was not made may be made in a while. */
function isWorthWaiting({ code, inFlightElsewhere }: FetchFailure): boolean {
  return inFlightElsewhere === true || code === 'upstream_rate_limited';
}

function failedElsewhere({ code, detail, retryInMs }: SharedFailure): FetchFailure {
  return { ok: false, code, detail, retryInMs, attempted: true };
}

function foundOf(pulse: ReadPulse | null): PulseFound {
  return pulse ? { kind: 'found', pulse } : { kind: 'absent' };
}

function pulseIn(found: PulseFound): ReadPulse | null {
  return found.kind === 'found' ? found.pulse : null;
}
