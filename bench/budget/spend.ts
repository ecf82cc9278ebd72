import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { visitorsOf } from '../load/reply.ts';
import { sendVisitors } from '../load/visits.ts';
import { BffProcess } from '../process/bff-process.ts';
import { progress } from '../report/progress.ts';
import { randomFrom } from '../simulator/random.ts';
import { nowNs } from '../upstream/arrival.ts';
import type { RecordingUpstream, UpstreamOptions } from '../upstream/recording-upstream.ts';
import { spawnUpstream } from '../upstream/spawn-upstream.ts';
import { startOtherUser } from './other-user.ts';
import { type Spent, spentIn } from './spent.ts';

/** One way of spending the budget. */
export interface SpendOptions {
  readonly title: string;
  readonly minutes: number;
  readonly sources: number;
  readonly viewsPerSecond: number;
  /** Whether the BFF has a `PULSE_STATE_DIR`. @default false */
  readonly remembers?: boolean;
  /** Shortest and longest life of the process, which then gets `kill -9`. @default it lives */
  readonly killEveryMs?: readonly [min: number, max: number];
  /** Shortest and longest time that the service takes to answer. @default 20 to 80 ms */
  readonly latencyMs?: readonly [min: number, max: number];
  /** The first of two hosts goes and comes back every so many ms. @default one host, which stays */
  readonly flapEveryMs?: number;
  /** Calls a minute that someone else makes with the same key. @default 0 */
  readonly othersPerMinute?: number;
}

/** Lets demand far over the budget loose on a BFF in front of a recording upstream, in real time. */
export async function spend(options: SpendOptions): Promise<Spent> {
  const { title, minutes, remembers = false, othersPerMinute = 0 } = options;
  const upstream = await spawnUpstream(upstreamOptions(options));
  const stateDir = await mkdtemp(join(tmpdir(), 'pulse-bench-'));
  const other = startOtherUser(upstream.urls.A, othersPerMinute);
  const fromNs = nowNs();
  const toNs = fromNs + minutes * 60e9;
  const bff = await BffProcess.start({ upstream, env: variables(options, upstream, stateDir) });
  if (options.flapEveryMs !== undefined) await upstream.fail('A', { kind: 'flap', everyMs: options.flapEveryMs });
  const visits = sendVisitors(visitorsOf(bff.url), { ids: upstream.ids, perSecond: options.viewsPerSecond });
  const displayed = progress(title, minutes * 60_000);
  const killedAtNs = await live(bff, toNs, options.killEveryMs, (kills) =>
    displayed.say(`${visits.seen.length} views, ${kills} kills`),
  );
  other.stop();
  const seen = await visits.stop();
  await bff.stop();
  const spent = spentIn({ title, arrivals: await upstream.arrivals(), seen, fromNs, toNs, killedAtNs, remembers });
  await upstream.close();
  await rm(stateDir, { recursive: true, force: true });
  displayed.end(`at most ${spent.maxInWindow} calls in any window, ${spent.perWindow.toFixed(1)} on average`);
  return spent;
}

function upstreamOptions({ sources, latencyMs }: SpendOptions): UpstreamOptions {
  return { sources, changeEveryMs: [30_000, 600_000], ...(latencyMs === undefined ? {} : { latencyMs }) };
}

function variables(
  { remembers = false, flapEveryMs }: SpendOptions,
  { ids, urls }: RecordingUpstream,
  stateDir: string,
) {
  return {
    PULSE_SOURCES: ids.join(','),
    ...(remembers ? { PULSE_STATE_DIR: stateDir } : {}),
    ...(flapEveryMs === undefined ? {} : { PULSE_ALT_BASE_URL: urls.B }),
  };
}

/** Lets the process live until `toNs`, or live, die and live again; resolves to the moments at which it was killed. */
async function live(
  bff: BffProcess,
  toNs: number,
  killEveryMs: SpendOptions['killEveryMs'],
  say: (kills: number) => void,
): Promise<number[]> {
  const killedAtNs: number[] = [];
  const random = randomFrom(2);
  while (nowNs() < toNs) {
    await pause(killEveryMs === undefined ? 1_000 : random.logEven(...killEveryMs));
    say(killedAtNs.length);
    if (killEveryMs === undefined) continue;
    await bff.kill();
    killedAtNs.push(nowNs());
    await bff.restart({ untilItListens: false });
  }
  return killedAtNs;
}
