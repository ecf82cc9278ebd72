import { parseBatch } from './parse-pulse.ts';
import type { ReaderSession } from './reader-session.ts';
import { RecentLoad, SharedSignal } from './recent-loads.ts';
import { failureOf, type Result } from './result.ts';

/** The maximum number of IDs that the BFF accepts in one request. */
const MAX_IDS = 50;

/**
 * How long a batch waits for more cards. Pages create their elements and set their tokens in less time than this, and
 * readers don't notice the wait.
 */
const WINDOW_MS = 10;

/** Options for loading a pulse. */
export interface BatchOptions {
  /** Called when the batch is sent. */
  readonly getSession: () => ReaderSession;
  /**
   * Sends a request even if another card has a recent response. Also makes the browser revalidate its cached response.
   */
  readonly revalidate: boolean;
  /**
   * Aborted when the response is no longer needed. A request is aborted only when every card that shares it has
   * aborted.
   */
  readonly signal: AbortSignal;
}

interface Entry extends BatchOptions {
  readonly id: string;
  readonly resolve: (result: Result | Promise<Result>) => void;
}

const waiting: Entry[] = [];

/** The first batch on a page doesn't wait, because the page's elements already exist when the script runs. */
let waitMs = 0;

/**
 * Loads the pulse of source `id`. If another card with the same session is loading the pulse, or received it less than
 * 15 s ago, shares that card's result. Otherwise, sends one request for all pulses that cards load within 10 ms. The
 * page's first request covers all loads that start in the same task. Never rejects.
 */
export function loadPulse(id: string, options: BatchOptions): Promise<Result> {
  if (!waiting[0]) setTimeout(loadWaiting, waitMs);
  waitMs = WINDOW_MS;
  return new Promise((resolve) => waiting.push({ ...options, id, resolve }));
}

function loadWaiting(): void {
  const entries = waiting.splice(0);
  for (const { resolve } of entries.filter(({ signal }) => signal.aborted)) resolve(failureOf('network', 0));
  Map.groupBy(
    entries.filter(({ signal }) => !signal.aborted),
    ({ getSession }) => getSession(),
  ).forEach(loadTogether);
}

function loadTogether(entries: readonly Entry[], session: ReaderSession): void {
  const requested = entries.filter(({ id, revalidate }) => revalidate || !session.loads.get(id)?.isRecent);
  // The IDs are sorted so that pages with the same cards in a different order share a cached response.
  const ids = [...new Set(requested.map(({ id }) => id))].sort();
  while (ids[0]) requestBatch(ids.splice(0, MAX_IDS), requested, session);
  for (const { id, signal, resolve } of entries) resolve((session.loads.get(id) as RecentLoad).join(signal));
}

function requestBatch(ids: readonly string[], entries: readonly Entry[], session: ReaderSession): void {
  const revalidate = entries.some((entry) => entry.revalidate);
  const shared = new SharedSignal();
  const answer = session.request(`/v1/pulses?ids=${ids.join()}`, { revalidate, signal: shared.signal });
  for (const id of ids) {
    const result = answer.then(({ body, failure }) => failure ?? parseBatch(body, id));
    session.loads.set(id, new RecentLoad(result, shared));
  }
}
