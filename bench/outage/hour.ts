import { setTimeout as pause } from 'node:timers/promises';
import { type VisitFigures, visitFigures } from '../load/visit-figures.ts';
import { sendVisitors, type Visit } from '../load/visits.ts';
import { progress } from '../report/progress.ts';
import { nowNs } from '../upstream/arrival.ts';
import { arrivalsBetween, maxInWindow } from '../upstream/history.ts';
import type { UpstreamOptions } from '../upstream/recording-upstream.ts';
import { spawnUpstream } from '../upstream/spawn-upstream.ts';
import type { SetUp } from './participants.ts';
import { type Recovery, recoveryAfter } from './recovery.ts';
import { scaledBy, type ScaledTimes } from './scale.ts';

/** How the hour passes. */
export interface HourOptions {
  /** An hour takes 3600 / scale seconds. */
  readonly scale: number;
  readonly viewsPerSecond: number;
}

/** What the hour did to visitors and to the service. */
export interface HourFigures extends Recovery {
  readonly name: string;
  readonly callsBefore: number;
  readonly attempts: number;
  readonly maxAttemptsInWindow: number;
  readonly visitsBefore: VisitFigures;
  readonly visits: VisitFigures;
  readonly callsIn10SecondsAfter: number;
}

const SOURCES = 10;
const WARM_UP_MS = 20_000;
/** Long enough for a backoff that is not scaled. */
const RECOVERY_MS = 120_000;

/** Lets both hosts of the service cut every connection for an hour, scaled, under steady visitors. */
export async function passHour(setUp: SetUp, { scale, viewsPerSecond }: HourOptions): Promise<HourFigures> {
  const times = scaledBy(scale);
  const upstream = await spawnUpstream(serviceFor(times));
  const participant = await setUp(upstream, times);
  const hourMs = 3_600_000 / scale;
  const displayed = progress(participant.name, WARM_UP_MS + hourMs + RECOVERY_MS);
  const visits = sendVisitors(participant.ask, { ids: upstream.ids, perSecond: viewsPerSecond });
  const pass = (ms: number, state: string) => wait(ms, () => displayed.say(`${state}, ${visits.seen.length} views`));
  await pass(WARM_UP_MS, 'all well');
  const downNs = nowNs();
  await upstream.fail('both', { kind: 'reset' });
  await pass(hourMs, 'service down');
  const upNs = nowNs();
  await upstream.fail('both', { kind: 'none' });
  await pass(RECOVERY_MS, 'service back');
  const seen = await visits.stop();
  const arrivals = await upstream.arrivals();
  await participant.close();
  await upstream.close();
  const during = arrivalsBetween(arrivals, downNs, upNs).map(({ atNs }) => atNs);
  const figures: HourFigures = {
    name: participant.name,
    callsBefore: arrivalsBetween(arrivals, 0, downNs).length,
    attempts: during.length,
    maxAttemptsInWindow: maxInWindow(during, times.windowMs * 1e6),
    visitsBefore: visitFigures(seen.filter(({ atNs }) => atNs < downNs)),
    visits: duringOutage(seen, downNs, upNs),
    ...recoveryAfter(upNs, arrivals, upstream.ids),
    callsIn10SecondsAfter: arrivalsBetween(arrivals, upNs, upNs + 10e9).length,
  };
  displayed.end(`${figures.attempts} attempts, ${figures.visits.failedThoughKnown} failures`);
  return figures;
}

/** A service whose times fit; it names whole seconds in `Cache-Control`, rounded up. */
function serviceFor({ scale, windowMs, latencyMs, freshMs, staleMs }: ScaledTimes): UpstreamOptions {
  const [fresh, stale] = [Math.ceil(freshMs / 1000), Math.ceil(staleMs / 1000)];
  return {
    sources: SOURCES,
    windowMs,
    latencyMs,
    changeEveryMs: [600_000 / scale, 3_600_000 / scale],
    cacheControl: `public, max-age=${fresh}, stale-while-revalidate=${stale}, stale-if-error=${stale}`,
  };
}

/** Only the outage's visits count, but what was known before it is known. */
function duringOutage(seen: readonly Visit[], downNs: number, upNs: number): VisitFigures {
  const known = new Set(seen.filter(({ atNs, status }) => atNs < downNs && status === 200).map(({ id }) => id));
  return visitFigures(
    seen.filter(({ atNs }) => atNs >= downNs && atNs < upNs),
    { known },
  );
}

async function wait(ms: number, say: () => void): Promise<void> {
  for (const endMs = performance.now() + ms; performance.now() < endMs; say()) {
    await pause(Math.min(1_000, Math.max(1, endMs - performance.now())));
  }
}
