import { setTimeout as pause } from 'node:timers/promises';
import { BffProcess } from '../process/bff-process.ts';
import { progress } from '../report/progress.ts';
import { spawnUpstream } from '../upstream/spawn-upstream.ts';
import { type BffFigures, figuresOf } from './bff-figures.ts';
import { type Delivery, deliveriesIn } from './live-figures.ts';
import { Readers } from './readers.ts';

/** How many readers there are, and for how long. */
export interface AudienceOptions {
  readonly readers: number;
  readonly seconds: number;
}

/** How a rush fared. */
export interface AudienceFigures {
  readonly readers: number;
  readonly openedInMs: number;
  readonly refused: number;
  readonly before: BffFigures;
  readonly after: BffFigures;
  readonly bytesEach: number;
  /** Calls that reached the service in a minute. */
  readonly callsPerMinute: number;
  readonly deliveries: readonly Delivery[];
}

/** Ten sources, each with a new run every twenty seconds or so; a page shows three of them. */
export const SOURCES = { sources: 10, changeEveryMs: [20_000, 20_000] } as const;

/** The pages of which readers look at one: any three sources that follow one another. */
export function pagesOf(url: string, ids: readonly string[]): string[] {
  return ids.map((_, at) => `${url}/v1/events?ids=${[0, 1, 2].map((next) => ids[(at + next) % ids.length]).join(',')}`);
}

/** Has readers follow ten changing sources through a BFF with defaults, and takes its figures. */
export async function audience({ readers: count, seconds }: AudienceOptions): Promise<AudienceFigures> {
  const upstream = await spawnUpstream(SOURCES);
  const bff = await BffProcess.start({ upstream, env: { TRUST_PROXY: '1', LOG_LEVEL: 'warn' } });
  const readers = new Readers();
  const displayed = progress(`${count} readers`, seconds * 1_000);
  try {
    await untilKnown(bff.url, upstream.ids);
    const before = await figuresOf(bff);
    const startedAtMs = Date.now();
    const { refused } = await readers.open(pagesOf(bff.url, upstream.ids), count);
    const openedInMs = Date.now() - startedAtMs;
    await readers.forget();
    await figuresOf(bff);
    const callsBefore = (await upstream.arrivals()).length;
    for (let second = 0; second < seconds; second += 1) {
      await pause(1_000);
      displayed.say(`${(await upstream.arrivals()).length - callsBefore} calls`);
    }
    const calls = (await upstream.arrivals()).length - callsBefore;
    const after = await figuresOf(bff);
    // A source is shown by three pages in ten.
    const deliveries = deliveriesIn(await readers.seen(), Math.max(1, Math.floor(count * 0.299)));
    displayed.end(`${calls} calls, ${deliveries.length} changes told`);
    const bytesEach = (after.residentBytes - before.residentBytes) / count;
    const callsPerMinute = (calls * 60) / seconds;
    return { readers: count, openedInMs, refused, before, after, bytesEach, callsPerMinute, deliveries };
  } finally {
    readers.close();
    await bff.stop();
    await upstream.close();
  }
}

/** Waits until the BFF has shown every source once, so that what is measured is the streams alone. */
async function untilKnown(url: string, ids: readonly string[]): Promise<void> {
  for (const id of ids) while ((await fetch(`${url}/v1/sources/${id}/pulse`)).status !== 200) await pause(500);
}
