import { get, type IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { BffProcess } from '../process/bff-process.ts';
import { spawnUpstream } from '../upstream/spawn-upstream.ts';
import { figuresOf } from './bff-figures.ts';

/** What became of a reader who does not read, beside one who does. */
export interface SlowReaderFigures {
  /** Until it was cut; NaN where it was not. */
  readonly cutAfterMs: number;
  readonly eventsToGoodReader: number;
  /** What the good reader was sent until then. */
  readonly sentBytes: number;
}

/** How long it may take: the system itself takes megabytes before anything has to wait. */
const TIMEOUT_MS = 90_000;

/** Follows fifty lively sources with one reader who reads and one who does not, until that one is cut. */
export async function slowReader(): Promise<SlowReaderFigures> {
  const upstream = await spawnUpstream({
    sources: 50,
    changeEveryMs: [500, 500],
    limit: 1_000_000,
    latencyMs: [1, 2],
  });
  const env = {
    PULSE_SOURCES: upstream.ids.join(','),
    PULSE_RATE_LIMIT: '100000',
    PULSE_RATE_RESERVE: '0',
    PULSE_FRESH_MS: '1000',
    LOG_LEVEL: 'warn',
  };
  const bff = await BffProcess.start({ upstream, env });
  try {
    const url = `${bff.url}/v1/events?ids=${upstream.ids.join(',')}`;
    const [good, slow] = await Promise.all([open(url), open(url)]);
    slow.on('error', () => {});
    let sentBytes = 0;
    good.on('data', (part: Buffer) => void (sentBytes += part.length));
    const startedAt = performance.now();
    let now = await figuresOf(bff);
    while (now.cut === 0 && performance.now() - startedAt < TIMEOUT_MS) {
      // Those who come by have everything refreshed that is older than a second.
      await (await fetch(`${bff.url}/v1/pulses?ids=${upstream.ids.join(',')}`)).arrayBuffer();
      await pause(250);
      now = await figuresOf(bff);
    }
    const cutAfterMs = now.cut > 0 ? performance.now() - startedAt : NaN;
    console.log(`  slow reader: cut after ${(cutAfterMs / 1_000).toFixed(1)} s, ${now.events} events`);
    good.destroy();
    return {
      cutAfterMs,
      eventsToGoodReader: Math.round(now.events / 2),
      sentBytes,
    };
  } finally {
    await bff.stop();
    await upstream.close();
  }
}

function open(url: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false }, resolve).once('error', reject);
  });
}
