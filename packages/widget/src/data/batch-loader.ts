import type { Bff } from './bff.ts';
import { parseBatch } from './parse-pulse.ts';
import type { Result } from './result.ts';

/** The BFF takes no more ids in one request. */
const MAX_IDS = 50;

/** Longer than it takes to make the elements of a page and give them their tokens, too short to be seen. */
const WINDOW_MS = 10;

interface Entry {
  readonly id: string;
  readonly revalidate: boolean;
  readonly getBff: () => Bff;
  readonly resolve: (result: Promise<Result>) => void;
}

const waiting: Entry[] = [];

/**
 * Loads the pulse of source `id`, with all that are asked for within 10 ms; `getBff` is called after that time. `revalidate`
 * has the browser check its cached answer. Never rejects.
 */
export function loadPulse(id: string, revalidate: boolean, getBff: () => Bff): Promise<Result> {
  if (!waiting[0])
    setTimeout(() => Map.groupBy(waiting.splice(0), ({ getBff }) => getBff()).forEach(loadBatch), WINDOW_MS);
  return new Promise((resolve) => waiting.push({ id, revalidate, getBff, resolve }));
}

function loadBatch(entries: readonly Entry[], bff: Bff): void {
  // Sorted, so that pages with the same cards in another order share a cached answer.
  const all = [...new Set(entries.map(({ id }) => id))].sort();
  while (all[0]) {
    const ids = all.splice(0, MAX_IDS);
    const batch = entries.filter(({ id }) => ids.includes(id));
    const answer = bff.request(
      `/v1/pulses?ids=${ids.join()}`,
      batch.some(({ revalidate }) => revalidate),
    );
    for (const { id, resolve } of batch) resolve(answer.then(({ body, failure }) => failure ?? parseBatch(body, id)));
  }
}
