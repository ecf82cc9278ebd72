import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { visitorsOf } from '../load/reply.ts';
import { type VisitFigures, visitFigures } from '../load/visit-figures.ts';
import { sendVisitors } from '../load/visits.ts';
import { BffProcess } from '../process/bff-process.ts';
import { progress } from '../report/progress.ts';
import { randomFrom } from '../simulator/random.ts';
import { nowNs } from '../upstream/arrival.ts';
import { meanPerWindow, mostInWindow } from '../upstream/history.ts';
import { spawnUpstream } from '../upstream/spawn-upstream.ts';

/** Calls that the spec lets a key make in a window, and those the BFF leaves to others by default. */
export const LIMIT = 60;
export const RESERVE = 15;

/** The spec's window. */
export const WINDOW_NS = 60_000_000_000;

/** One way of spending the budget. */
export interface SpendOptions {
  readonly title: string;
  readonly minutes: number;
  /** Whether the BFF has a `PULSE_STATE_DIR`. */
  readonly remembers: boolean;
  /** Shortest and longest life of the process, which then gets `kill -9`; undefined lets it live. */
  readonly killEveryMs?: readonly [shortest: number, longest: number];
  readonly sources: number;
  readonly viewsPerSecond: number;
}

/** What was spent, and what visitors had of it. */
export interface Spent {
  readonly title: string;
  readonly calls: number;
  readonly mostInWindow: number;
  /** Calls a window on average, from the second window on. */
  readonly perWindow: number;
  /** Of what may be spent: the limit without the reserve. */
  readonly shareUsed: number;
  readonly answered429: number;
  readonly kills: number;
  readonly visits: VisitFigures;
}

/** Lets demand far over the budget loose on a BFF in front of a recording upstream, in real time. */
export async function spend(options: SpendOptions): Promise<Spent> {
  const { title, minutes, remembers, killEveryMs, sources, viewsPerSecond } = options;
  const upstream = await spawnUpstream({ sources, changeEveryMs: [30_000, 600_000] });
  const stateDir = await mkdtemp(join(tmpdir(), 'pulse-bench-'));
  const env = { PULSE_SOURCES: upstream.ids.join(','), ...(remembers ? { PULSE_STATE_DIR: stateDir } : {}) };
  const startedNs = nowNs();
  const bff = await BffProcess.start({ upstream, env });
  const visits = sendVisitors(visitorsOf(bff.url), { ids: upstream.ids, perSecond: viewsPerSecond });
  const killedAtNs: number[] = [];
  const shown = progress(title, minutes * 60_000);
  const random = randomFrom(killEveryMs === undefined ? 1 : 2);
  const endNs = startedNs + minutes * 60e9;
  while (nowNs() < endNs) {
    await pause(killEveryMs === undefined ? 1_000 : random.logEven(...killEveryMs));
    const calls = (await upstream.arrivals()).length;
    shown.say(`${calls} calls, ${visits.seen.length} views, ${killedAtNs.length} kills`);
    if (killEveryMs === undefined) continue;
    await bff.kill();
    killedAtNs.push(nowNs());
    await bff.restart({ untilItListens: false });
  }
  const seen = await visits.stop();
  await bff.stop();
  const arrivals = await upstream.arrivals();
  await upstream.close();
  await rm(stateDir, { recursive: true, force: true });
  const perWindow = meanPerWindow(arrivals, startedNs + WINDOW_NS, endNs, WINDOW_NS);
  const spent: Spent = {
    title,
    calls: arrivals.length,
    mostInWindow: mostInWindow(
      arrivals.map(({ atNs }) => atNs),
      WINDOW_NS,
    ),
    perWindow,
    shareUsed: perWindow / (LIMIT - RESERVE),
    answered429: arrivals.filter(({ status }) => status === 429).length,
    kills: killedAtNs.length,
    visits: visitFigures(seen, { lostAtNs: remembers ? [] : killedAtNs }),
  };
  shown.end(`at most ${spent.mostInWindow} calls in any window, ${perWindow.toFixed(1)} on average`);
  return spent;
}
