import { codeOf, failureOf, readOutcome } from './pulse-guard.ts';
import type { Outcome } from './pulse-outcome.ts';

/** Most ids in one request; the BFF takes no more. */
const BATCH_SIZE = 50;

/** Cards that appear in the same moment ask together: longer than a frame's worth of observers, too short to be seen. */
const GATHER_MS = 10;

/** Longer than the BFF needs to try both of its hosts. */
const TIMEOUT_MS = 15_000;

/** Answers kept for cards yet to come; a page that shows more ids than that asks again. */
const KEPT_ANSWERS = 500;

/** Longest `Retry-After` that is believed, in seconds, as the BFF promises it. */
const RETRY_AFTER_MAX_S = 300;

/** What all cards of a page ask, whichever copy of the script they came from. */
export interface PulseStore {
  /**
   * Asks the BFF at `base` for the pulse of source `id`, together with all that is asked in the same moment.
   * An answer younger than `maxAgeMs`, or on its way, serves as well. Never rejects.
   */
  ask(base: string, id: string, maxAgeMs: number): Promise<Outcome>;
}

interface Question {
  readonly id: string;
  readonly fresh: boolean;
  readonly resolve: (outcome: Outcome) => void;
}

const STORE_KEY = Symbol.for('@pulse-card/store/1');

/** The one store of this page; the first copy of the script brings it. */
export function pulseStore(): PulseStore {
  return ((globalThis as { [STORE_KEY]?: PulseStore })[STORE_KEY] ??= createPulseStore());
}

/** A store with its own memory. */
export function createPulseStore(): PulseStore {
  /** Answers, and since when each is there; those on their way count as young. */
  const entries = new Map<string, { at: number; readonly outcome: Promise<Outcome> }>();
  const gathering = new Map<string, Question[]>();

  return {
    ask(base, id, maxAgeMs) {
      const key = `${base} ${id}`;
      const known = entries.get(key);
      if (known && Date.now() - known.at < maxAgeMs) return known.outcome;
      const outcome = new Promise<Outcome>((resolve) => {
        const question = { id, resolve, fresh: !maxAgeMs };
        const others = gathering.get(base);
        if (others) return void others.push(question);
        gathering.set(base, [question]);
        setTimeout(() => sendAll(base), GATHER_MS);
      });
      const entry = { at: Infinity, outcome };
      if (entries.size >= KEPT_ANSWERS) entries.clear();
      entries.set(key, entry);
      void outcome.then(({ ok }) => (entry.at = ok ? Date.now() : 0));
      return outcome;
    },
  };

  function sendAll(base: string): void {
    // Sorted, so that pages with the same cards in another order share a cached answer.
    const questions = (gathering.get(base) ?? []).sort((a, b) => (a.id < b.id ? -1 : 1));
    gathering.delete(base);
    while (questions[0]) void send(base, questions.splice(0, BATCH_SIZE));
  }
}

async function send(base: string, questions: readonly Question[]): Promise<void> {
  const ids = questions.map(({ id }) => id).join(',');
  const jitter = Math.random();
  let status = 0;
  let retryAfterMs = 0;
  let outcomeOf: (id: string) => Outcome;
  try {
    const response = await fetch(`${base}/v1/pulses?ids=${ids}`, {
      cache: questions.some(({ fresh }) => fresh) ? 'no-cache' : 'default',
      credentials: 'omit',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    ({ status } = response);
    retryAfterMs = 1_000 * Math.min(Number(response.headers.get('Retry-After')) || 0, RETRY_AFTER_MAX_S);
    const body: unknown = await response.json();
    outcomeOf = (id) => (response.ok ? readOutcome(body, id) : failureOf(codeOf(body), status));
  } catch (error) {
    outcomeOf = () => failureOf(silenceOf(error as Error, status), status);
  }
  for (const { id, resolve } of questions) {
    const outcome = outcomeOf(id);
    resolve(outcome.ok ? outcome : { ...outcome, jitter, retryAfterMs });
  }
}

/** Why nothing readable came. */
function silenceOf({ name }: Error, status: number): string {
  if (name === 'TimeoutError') return 'timeout';
  if (name === 'SyntaxError') return status < 400 ? 'invalid_answer' : 'upstream_unavailable';
  return navigator.onLine ? 'network' : 'offline';
}
