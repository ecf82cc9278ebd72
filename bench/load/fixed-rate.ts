import { Pool } from 'undici';

/** Requests to a server at a constant rate. */
export interface RateOptions {
  readonly url: string;
  readonly perSecond: number;
  readonly seconds: number;
  readonly connections: number;
}

/** How long the responses took. Each time is measured from the moment when the request was due. */
export interface RateFigures {
  readonly failures: number;
  readonly p99Ms: number;
}

// Takes one argument, which is JSON. Each request is sent when it is due, even if earlier requests have no response
// yet. If the server stalls, the stall therefore counts in full.
console.log(JSON.stringify(await keepRate(JSON.parse(process.argv[2] ?? '{}') as RateOptions)));

async function keepRate({ url, perSecond, seconds, connections }: RateOptions): Promise<RateFigures> {
  const { origin, pathname, search } = new URL(url);
  const pool = new Pool(origin, { connections, pipelining: 1 });
  const tookMs: number[] = [];
  let failures = 0;
  const ask = async (dueMs: number) => {
    const answer = await pool.request({ method: 'GET', path: pathname + search });
    await answer.body.dump();
    if (answer.statusCode >= 400) failures += 1;
    tookMs.push(performance.now() - dueMs);
  };
  await Promise.all(Array.from({ length: connections }, () => ask(performance.now())));
  tookMs.length = 0;
  const total = perSecond * seconds;
  const asked: Promise<void>[] = [];
  const startedMs = performance.now();
  while (asked.length < total) {
    const due = Math.min(total, Math.floor(((performance.now() - startedMs) / 1000) * perSecond) + 1);
    while (asked.length < due) asked.push(ask(startedMs + (asked.length / perSecond) * 1000));
    await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all(asked);
  await pool.close();
  const sorted = tookMs.toSorted((a, b) => a - b);
  const p99Ms = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.99))] ?? NaN;
  return { failures, p99Ms };
}
