import { setTimeout as delay } from 'node:timers/promises';
import type { CDPSession, Page } from '@playwright/test';
import { columnStyle, idsUpTo } from '../page-with.ts';
import { type Contestant, openScene } from './contestant.ts';
import { requestsAt } from './requests.ts';

const COUNT = 100;
const TIMEOUT_MS = 30_000;
/** Long enough for images to come and for what was put off. */
const SETTLED_MS = 1_500;

/** What 100 instances cost. */
export interface HundredFigures {
  /** From the beginning of the navigation until the last one is ready, as the page's own clock has it. */
  readonly readyMs: number;
  /** Running scripts, on the main thread, until all is settled. */
  readonly scriptMs: number;
  readonly styleAndLayoutMs: number;
  readonly longTasks: number;
  readonly maxTaskMs: number;
  /** After garbage collection. */
  readonly heapMiB: number;
  readonly nodes: number;
  readonly listeners: number;
  readonly dataRequests: number;
  readonly imageRequests: number;
}

/** Loads 100 instances on a page and says what that cost; `isReady` is an expression that becomes true in the page. */
export async function hundredOf(contestant: Contestant, isReady: string): Promise<HundredFigures> {
  await using scene = await openScene(contestant, { ids: idsUpTo(COUNT), style: columnStyle(600) });
  const { stub, watched } = scene;
  const { page } = watched;
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable');
  const readyMs = await readyAt(page, isReady);
  await delay(SETTLED_MS);
  const time = await metricsOf(cdp);
  const { longTasksMs } = await watched.watched();
  await cdp.send('HeapProfiler.collectGarbage');
  const memory = await metricsOf(cdp);
  const { data = 0, image = 0 } = requestsAt(stub);
  return {
    readyMs,
    scriptMs: time('ScriptDuration') * 1_000,
    styleAndLayoutMs: (time('RecalcStyleDuration') + time('LayoutDuration')) * 1_000,
    longTasks: longTasksMs.length,
    maxTaskMs: Math.max(0, ...longTasksMs),
    heapMiB: memory('JSHeapUsedSize') / 2 ** 20,
    nodes: memory('Nodes'),
    listeners: memory('JSEventListeners'),
    dataRequests: data,
    imageRequests: image,
  };
}

/** Asked once a frame inside the page, so that asking costs little and the answer is a frame late at most. */
async function readyAt(page: Page, isReady: string): Promise<number> {
  const handle = await page.waitForFunction(`(${isReady}) && performance.now()`, undefined, { timeout: TIMEOUT_MS });
  return (await handle.jsonValue()) as number;
}

async function metricsOf(cdp: CDPSession): Promise<(name: string) => number> {
  const { metrics } = await cdp.send('Performance.getMetrics');
  return (name) => metrics.find((metric) => metric.name === name)?.value ?? NaN;
}
