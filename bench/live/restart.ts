import { setTimeout as pause } from 'node:timers/promises';
import { BffProcess } from '../process/bff-process.ts';
import { spawnUpstream } from '../upstream/spawn-upstream.ts';
import { pagesOf, SOURCES } from './audience.ts';
import { histogramOf } from './live-figures.ts';
import { Readers } from './readers.ts';

/** How readers came back. */
export interface ComeBack {
  readonly title: string;
  /** Readers who came back in each second after the signal. */
  readonly perSecond: readonly number[];
  /** Until the last was back. */
  readonly allBackInMs: number;
  /** Streams for which there was no place. */
  readonly refused: number;
}

/** No reader waits longer than fifteen seconds and the process's own stop. */
const TIMEOUT_MS = 60_000;

/** Stops or kills a BFF with readers and starts it anew at once; counts when they are back. */
export async function restart(count: number, how: 'SIGTERM' | 'SIGKILL'): Promise<ComeBack> {
  const upstream = await spawnUpstream(SOURCES);
  const bff = await BffProcess.start({ upstream, env: { TRUST_PROXY: '1', LOG_LEVEL: 'warn' } });
  const readers = new Readers();
  try {
    await readers.open(pagesOf(bff.url, upstream.ids), count);
    await readers.forget();
    const sinceMs = Date.now();
    await (how === 'SIGTERM' ? bff.stop() : bff.kill());
    await bff.restart({ untilItListens: false });
    while ((await readers.seen()).openedAtMs.length < count && Date.now() - sinceMs < TIMEOUT_MS) await pause(500);
    const { openedAtMs, refused } = await readers.seen();
    const allBackInMs = Math.max(...openedAtMs) - sinceMs;
    console.log(`  ${how}: ${openedAtMs.length} of ${count} back within ${(allBackInMs / 1_000).toFixed(1)} s`);
    return { title: how, perSecond: histogramOf(openedAtMs, sinceMs), allBackInMs, refused };
  } finally {
    readers.close();
    await bff.stop();
    await upstream.close();
  }
}
