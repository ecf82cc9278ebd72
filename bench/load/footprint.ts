import { setTimeout as pause } from 'node:timers/promises';
import { BffProcess } from '@pulse-card/testkit/bff-process';
import { residentMiBOf } from '../report/proc.ts';
import { spawnFakeService } from '@pulse-card/testkit/service/control';

/** The memory usage and startup time of a process that isn't under attack. */
export interface Footprint {
  readonly sources: number;
  readonly startMs: number;
  readonly memoryMiB: number;
}

/**
 * How long, in ms, to wait before reading memory. By then, bodies have been compressed and garbage has been collected.
 */
const SETTLE_MS = 10_000;

/** The Node options that the image and the systemd unit use. */
const AS_IN_IMAGE = '--max-semi-space-size=4';

/** Starts a BFF with a number of sources and requests each pulse once. */
export async function footprintOf(sources: number): Promise<Footprint> {
  const upstream = await spawnFakeService({ sources, limit: 1_000_000, latencyMs: [1, 2] });
  const env = {
    NODE_OPTIONS: AS_IN_IMAGE,
    PULSE_SOURCES: upstream.ids.join(','),
    PULSE_RATE_LIMIT: '1000000',
    PULSE_CLIENT_RATE: '1000000',
  };
  const launchedAt = performance.now();
  const bff = await BffProcess.start({ upstream, isQuiet: true, env });
  const startMs = Math.round(performance.now() - launchedAt);
  for (const id of upstream.ids) {
    const answer = await fetch(`${bff.url}/v1/sources/${id}/pulse`, { headers: { 'accept-encoding': 'br' } });
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`Can’t measure memory: ${id} returned ${answer.status}`);
  }
  await pause(SETTLE_MS);
  const memoryMiB = residentMiBOf(bff.pid) ?? Number.NaN;
  await bff.stop();
  await upstream.close();
  return { sources, startMs, memoryMiB };
}
