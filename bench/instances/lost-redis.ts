import { setTimeout as pause } from 'node:timers/promises';
import type { RedisServer } from '../../packages/bff/src/testing/redis-server.ts';
import { visitorsOf } from '../load/reply.ts';
import { type VisitFigures, visitFigures } from '../load/visit-figures.ts';
import { sendVisitors, type Visit } from '../load/visits.ts';
import { progress } from '../report/progress.ts';
import { nowNs } from '../upstream/arrival.ts';
import { arrivalsBetween, maxInWindow } from '../upstream/history.ts';
import { factsOf, openStage, until } from './stage.ts';

/** What readers and the budget went through while Redis was lost. */
export interface LostFigures {
  readonly title: string;
  readonly failures: number;
  readonly before: VisitFigures;
  readonly during: VisitFigures;
  readonly after: VisitFigures;
  /** The slowest of the 99 % of readers in the first five seconds, for whom Redis was not yet known to be lost. */
  readonly p99FirstMs: number;
  readonly maxInWindow: number;
  readonly callsDuring: number;
  readonly recoveredMs: number;
}

export interface LostOptions {
  readonly secondsBefore: number;
  readonly secondsLost: number;
  readonly secondsAfter: number;
  readonly viewsPerSecond: number;
}

/** A way to lose Redis, and how it comes back. */
interface Loss {
  readonly title: string;
  readonly lose: (redis: RedisServer) => unknown;
  readonly bring: (redis: RedisServer) => unknown;
}

const WINDOW_NS = 60e9;

export const LOSSES: readonly Loss[] = [
  { title: 'killed', lose: (redis) => redis.kill(), bring: (redis) => redis.restart() },
  { title: 'frozen', lose: (redis) => redis.freeze(), bring: (redis) => redis.resume() },
  { title: 'flushed, five times', lose: flushFiveTimes, bring: () => {} },
  {
    title: 'read-only',
    lose: (redis) => redis.command('REPLICAOF', '127.0.0.1', '9'),
    bring: (redis) => redis.command('REPLICAOF', 'NO', 'ONE'),
  },
];

/** Loses Redis under readers, and brings it back. */
export async function loseRedis({ title, lose, bring }: Loss, options: LostOptions): Promise<LostFigures> {
  const { secondsBefore, secondsLost, secondsAfter, viewsPerSecond } = options;
  await using stage = await openStage({ instances: 3, upstream: { sources: 10, changeEveryMs: [20_000, 300_000] } });
  const { instances, upstream, redis } = stage;
  await Promise.all(instances.flatMap(({ url }) => upstream.ids.map((id) => untilKnown(url, id))));
  const displayed = progress(title, (secondsBefore + secondsLost + secondsAfter) * 1_000);
  const audiences = instances.map(({ url }, seed) =>
    sendVisitors(visitorsOf(url), { ids: upstream.ids, perSecond: viewsPerSecond, skew: 0.5, seed: seed + 1 }),
  );
  const fromNs = nowNs();
  await pause(secondsBefore * 1_000);
  const lostNs = nowNs();
  await Promise.all([lose(redis), pause(secondsLost * 1_000)]);
  const backNs = nowNs();
  await bring(redis);
  const recoveredMs = await until(async () => (await factsOf(instances)).every((facts) => facts?.state === 'joined'));
  await pause(secondsAfter * 1_000);
  const toNs = nowNs();
  const seen = (await Promise.all(audiences.map((demandTracker) => demandTracker.stop()))).flat();
  const between = (a: number, b: number) => figuresBetween(seen, a, b, upstream.ids);
  const arrivals = await upstream.arrivals();
  const [before, during, after] = [between(fromNs, lostNs), between(lostNs, backNs), between(backNs, toNs)];
  const figures = {
    title,
    failures: failuresIn(before) + failuresIn(during) + failuresIn(after),
    before,
    during,
    after,
    p99FirstMs: between(lostNs, lostNs + 5e9).p99Ms,
    maxInWindow: maxInWindow(
      arrivals.map(({ atNs }) => atNs),
      WINDOW_NS,
    ),
    callsDuring: arrivalsBetween(arrivals, lostNs, backNs).length,
    recoveredMs,
  };
  displayed.end(`${figures.failures} failures, at most ${figures.maxInWindow} calls in any minute`);
  return figures;
}

async function flushFiveTimes(redis: RedisServer): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) {
    await redis.command('FLUSHALL');
    await pause(4_000);
  }
}

async function untilKnown(url: string, id: string): Promise<void> {
  await until(async () => (await visitorsOf(url)(id)).status === 200);
}

function figuresBetween(seen: readonly Visit[], fromNs: number, toNs: number, known: readonly string[]): VisitFigures {
  return visitFigures(
    seen.filter(({ atNs }) => atNs >= fromNs && atNs < toNs),
    { known },
  );
}

function failuresIn({ failedThoughKnown, failedUnknown, refused, cut, gaveUp }: VisitFigures): number {
  return failedThoughKnown + failedUnknown + refused + cut + gaveUp;
}
