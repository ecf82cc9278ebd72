import { codeOf, failureOf, readOutcome } from './pulse-guard.ts';
import type { Outcome } from './pulse-outcome.ts';
import { fetchData } from './token-desk.ts';

/** Most ids in one request; the BFF takes no more. */
const BATCH_SIZE = 50;

/** Cards that appear in the same moment ask together: longer than a frame's worth of observers, too short to be seen. */
const GATHER_MS = 10;

/** Longer than the BFF needs to try both of its hosts. */
const TIMEOUT_MS = 15_000;

/** Longest `Retry-After` that is believed, in seconds, as the BFF promises it. */
const RETRY_AFTER_MAX_S = 300;

/** What all cards of a page ask, whichever copy of the script they came from. */
export interface PulseStore {
  /**
   * Asks the BFF at `base` for the pulse of source `id`, in one request with all that is asked in the same moment.
   * `again` has browsers look past what they keep. Never rejects.
   */
  ask(base: string, id: string, again: boolean): Promise<Outcome>;
}

interface Batch {
  readonly ids: Set<string>;
  readonly answer: Promise<Answer>;
  again: boolean;
}

const STORE_KEY = Symbol.for('@pulse-card/store/1');

/** The one store of this page; the first copy of the script brings it. */
export function pulseStore(): PulseStore {
  return ((globalThis as { [STORE_KEY]?: PulseStore })[STORE_KEY] ??= createPulseStore());
}

/** A store of its own. */
export function createPulseStore(): PulseStore {
  const gathering = new Map<string, Batch>();

  function gather(base: string): Batch {
    const answer = new Promise<void>((resolve) => setTimeout(resolve, GATHER_MS)).then(() => {
      if (gathering.get(base) === batch) gathering.delete(base);
      // Sorted, so that pages with the same cards in another order share a cached answer.
      return askFor(`${base}/v1/pulses?ids=${[...batch.ids].sort().join(',')}`, batch.again);
    });
    const batch: Batch = { ids: new Set(), answer, again: false };
    gathering.set(base, batch);
    return batch;
  }

  return {
    async ask(base, id, again) {
      const batch = gathering.get(base) ?? gather(base);
      batch.again ||= again;
      if (batch.ids.add(id).size === BATCH_SIZE) gathering.delete(base);
      return (await batch.answer)((body) => readOutcome(body, id));
    },
  };
}

/** What came of a request, as `read` understands what was answered. */
export type Answer = <Shown>(read: (body: unknown) => Outcome<Shown>) => Outcome<Shown>;

/** Asks the BFF at `url`; `again` has browsers look past what they keep. Never rejects. */
export async function askFor(url: string, again: boolean): Promise<Answer> {
  const jitter = Math.random();
  let status = 0;
  try {
    const cache = again ? 'no-cache' : 'default';
    const response = await fetchData(url, { cache, signal: AbortSignal.timeout(TIMEOUT_MS) });
    ({ status } = response);
    const retryAfterMs = retryAfterMsOf(response);
    const body: unknown = await response.json();
    return (read) => {
      const outcome = response.ok ? read(body) : failureOf(codeOf(body), status);
      return outcome.ok ? outcome : { ...outcome, jitter, retryAfterMs };
    };
  } catch (error) {
    return () => ({ ...failureOf(silenceOf(error as Error, status), status), jitter });
  }
}

/** What `Retry-After` asks for, in milliseconds; 0 where it asks for nothing. */
export function retryAfterMsOf({ headers }: Response): number {
  return 1_000 * Math.min(Number(headers.get('Retry-After')) || 0, RETRY_AFTER_MAX_S);
}

/** Why nothing readable came. */
function silenceOf({ name }: Error, status: number): string {
  if (name === 'TimeoutError') return 'timeout';
  if (name === 'SyntaxError') return status < 400 ? 'invalid_answer' : 'upstream_unavailable';
  return navigator.onLine ? 'network' : 'offline';
}
