import type { BffClient } from './client.ts';
import { parseBatch } from './parse-pulse.ts';
import { failureOf, type Result } from './result.ts';

/** The BFF takes no more ids in one request. */
const MAX_IDS = 50;

/** Longer than it takes to make the elements of a page and give them their tokens, too short to be seen. */
const WINDOW_MS = 10;

/** How a pulse is loaded. */
export interface BatchOptions {
  /** Called when the batch is sent. */
  readonly getClient: () => BffClient;
  /** Has the browser check its cached answer. */
  readonly revalidate: boolean;
  /** Aborted where the answer is of no use any more; a request is aborted when all who share it are. */
  readonly signal: AbortSignal;
}

interface Entry extends BatchOptions {
  readonly id: string;
  readonly resolve: (result: Result | Promise<Result>) => void;
}

const waiting: Entry[] = [];

/** Loads the pulse of source `id`, with all that are asked for within 10 ms. Never rejects. */
export function loadPulse(id: string, options: BatchOptions): Promise<Result> {
  if (!waiting[0]) setTimeout(loadWaiting, WINDOW_MS);
  return new Promise((resolve) => waiting.push({ ...options, id, resolve }));
}

function loadWaiting(): void {
  const entries = waiting.splice(0);
  for (const { resolve } of entries.filter(({ signal }) => signal.aborted)) resolve(failureOf('network', 0));
  Map.groupBy(
    entries.filter(({ signal }) => !signal.aborted),
    ({ getClient }) => getClient(),
  ).forEach(loadBatch);
}

function loadBatch(entries: readonly Entry[], client: BffClient): void {
  // Sorted, so that pages with the same cards in another order share a cached answer.
  const all = [...new Set(entries.map(({ id }) => id))].sort();
  while (all[0]) {
    const ids = all.splice(0, MAX_IDS);
    const batch = entries.filter(({ id }) => ids.includes(id));
    const revalidate = batch.some((entry) => entry.revalidate);
    const answer = client.request(`/v1/pulses?ids=${ids.join()}`, { revalidate, signal: allAborted(batch) });
    for (const { id, resolve } of batch) resolve(answer.then(({ body, failure }) => failure ?? parseBatch(body, id)));
  }
}

/** A signal that is aborted once those of all entries are. */
function allAborted(entries: readonly Entry[]): AbortSignal {
  const controller = new AbortController();
  let left = entries.length;
  for (const { signal } of entries) signal.addEventListener('abort', () => --left || controller.abort());
  return controller.signal;
}
