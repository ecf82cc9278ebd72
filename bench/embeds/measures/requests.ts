import { setTimeout as delay } from 'node:timers/promises';
import { GRID_STYLE, idsUpTo } from '../page-with.ts';
import type { Kind, Stub } from '../stub.ts';
import { type Contestant, openScene } from './contestant.ts';

const INSTANCES = 20;
const OFF_SCREEN_PX = 12_000;
/** Some ask one after another; it is over when nothing has come for a while. */
const QUIET_MS = 2_500;
const MAX_MS = 15_000;

/** Requests by kind; pages, scripts and style sheets left out. */
export type Requests = Readonly<Partial<Record<Kind, number>>>;

/** What 20 instances ask for: each another, all the same, all far below. */
export interface RequestFigures {
  readonly different: Requests;
  readonly same: Requests;
  readonly offScreen: Requests;
}

/** Counts what 20 instances on a page ask for. */
export async function requestsOf(contestant: Contestant): Promise<RequestFigures> {
  const different = idsUpTo(INSTANCES);
  const same = different.map(() => 'ready-1');
  const far = `<div style="height:${OFF_SCREEN_PX}px;grid-column:1/-1"></div>`;
  const [inView, again, offScreen] = await Promise.all([
    countOf(contestant, different, ''),
    countOf(contestant, same, ''),
    countOf(contestant, different, far),
  ]);
  return { different: inView, same: again, offScreen };
}

async function countOf(contestant: Contestant, ids: readonly string[], before: string): Promise<Requests> {
  // All in view at once.
  const viewport = { width: 1_600, height: 2_400 };
  await using scene = await openScene(contestant, { ids, before, style: GRID_STYLE, viewport });
  await quiet(scene.stub);
  return requestsAt(scene.stub);
}

/** What a stub was asked for so far. */
export function requestsAt({ arrivals }: Stub): Requests {
  const counts: Partial<Record<Kind, number>> = {};
  for (const { kind } of arrivals) {
    if (!/page|script|style|preflight/.test(kind)) counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

async function quiet({ arrivals }: Stub): Promise<void> {
  const end = performance.now() + MAX_MS;
  await delay(QUIET_MS);
  while (performance.now() < end && performance.now() - (arrivals.at(-1)?.atMs ?? 0) < QUIET_MS) await delay(100);
}
