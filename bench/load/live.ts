import { setTimeout as pause } from 'node:timers/promises';
import { request } from 'undici';
import { answersOf } from '@pulse-card/testkit/answers-of';
import type { Front } from '@pulse-card/testkit/fronts/front';
import { startNginxFront } from '@pulse-card/testkit/fronts/nginx-front';
import { startVarnishFront } from '@pulse-card/testkit/fronts/varnish-front';
import { BffProcess } from '@pulse-card/testkit/bff-process';
import { table } from '../report/table.ts';
import type { Result } from '../report/write-result.ts';
import { LIVELY_MS } from '@pulse-card/testkit/service/changing-world';
import { startFakeService } from '@pulse-card/testkit/service/fake-service';
import { until } from '@pulse-card/testkit/until';

const READERS = 1_000;
const CARDS = 50;

/** The mean time between two requests from a live card, in seconds, and how much this time varies, as a fraction. */
const EVERY_S = 30;
const SPREAD = 0.2;

/** The length, in seconds, of the windows in which requests are counted. */
const WINDOW_S = 5;

/** A part of a result: its figures and its section on the page. */
export type Section = Required<Pick<Result, 'figures' | 'text'>>;

/** The tools that this measurement needs. */
export const LIVE_PROGRAMS = ['nginx', 'varnishd'];

/**
 * Counts the requests that reach the BFF in `seconds` from 1,000 readers of 50 live cards: behind nginx, behind
 * Varnish, and without a cache.
 */
export async function measureLive(seconds: number): Promise<Section> {
  await using stack = new AsyncDisposableStack();
  const upstream = await startFakeService({ sources: CARDS, latencyMs: [20, 80], changeEveryMs: LIVELY_MS });
  stack.defer(() => upstream.close());
  const bff = await BffProcess.start({ upstream, env: { TRUST_PROXY: '1', PULSE_SOURCES: upstream.ids.join(',') } });
  stack.defer(() => bff.stop());
  const path = `/v1/pulses?ids=${upstream.ids.join(',')}`;
  await untilComplete(bff.url + path);
  const setups: readonly (readonly [name: string, start: () => Promise<Pick<Front, 'url' | 'stop'>>])[] = [
    ['nothing', async () => ({ url: bff.url, stop: async () => {} })],
    ['nginx', () => startNginxFront(bff.url)],
    ['Varnish', () => startVarnishFront(bff.url)],
  ];
  const found: Measured[] = [];
  for (const [name, start] of setups) {
    const front = await start();
    const measured = await measure(bff, front.url + path, seconds);
    await front.stop();
    found.push({ name, ...measured });
    console.log(`  ${name}: ${measured.reached} of ${measured.asked} requests reached the BFF`);
  }
  return sectionOf(found, seconds);
}

interface Measured {
  readonly name: string;
  /** Requests from readers. */
  readonly asked: number;
  /** The number of requests that reached the BFF: the total, and the maximum in one window. */
  readonly reached: number;
  readonly maxInWindow: number;
}

/** Opens the page and waits until all of its pulses are loaded. */
async function untilComplete(url: string): Promise<void> {
  const isComplete = async () => {
    const answer = await request(url);
    const { pulses } = (await answer.body.json()) as { pulses: { ok: boolean }[] };
    return pulses.every(({ ok }) => ok);
  };
  await until('all pulses are loaded', isComplete, { withinMs: 300_000, everyMs: 1_000 });
}

/** Has all readers view the page for a while. Each reader starts at a different time. */
async function measure(bff: BffProcess, url: string, seconds: number): Promise<Omit<Measured, 'name'>> {
  const end = performance.now() + seconds * 1_000;
  const before = await answersOf(bff);
  const perWindow = countWindows(bff, end);
  const asked = await Promise.all(Array.from({ length: READERS }, () => read(url, end)));
  const reached = (await answersOf(bff)) - before;
  return { asked: asked.reduce((sum, times) => sum + times, 0), reached, maxInWindow: Math.max(...(await perWindow)) };
}

/**
 * Simulates one reader, who opens the page at a random time and whose live cards then send further requests. Resolves
 * to the number of requests.
 */
async function read(url: string, end: number): Promise<number> {
  let times = 0;
  let tag: string | undefined;
  let waitMs = Math.random() * EVERY_S * 1_000;
  while (performance.now() + waitMs < end) {
    await pause(waitMs);
    const headers = { 'accept-encoding': 'gzip, deflate, br', ...(tag !== undefined && { 'if-none-match': tag }) };
    const answer = await request(url, { headers });
    await answer.body.dump();
    if (answer.statusCode >= 400) throw new Error(`Can’t measure ${url}: it returned ${answer.statusCode}`);
    times += 1;
    tag = String(answer.headers['etag'] ?? '');
    waitMs = EVERY_S * 1_000 * (1 - SPREAD + 2 * SPREAD * Math.random());
  }
  return times;
}

/** The number of requests that reach the BFF in each window. */
async function countWindows(bff: BffProcess, end: number): Promise<number[]> {
  const counts: number[] = [];
  let before = await answersOf(bff);
  while (performance.now() < end) {
    await pause(Math.min(WINDOW_S * 1_000, end - performance.now()));
    const now = await answersOf(bff);
    counts.push(now - before);
    before = now;
  }
  return counts;
}

function sectionOf(found: readonly Measured[], seconds: number): Section {
  const perWindow = ({ reached }: Measured) => (reached * WINDOW_S) / seconds;
  const [none, ...fronts] = found;
  return {
    figures: {
      'without-cache': Math.round(none === undefined ? NaN : perWindow(none)),
      'with-cache': Math.max(...fronts.map(({ maxInWindow }) => maxInWindow)),
    },
    text: `
## One page of 50 live cards, 1,000 readers

In this benchmark, ${READERS.toLocaleString('en-US')} readers view one page of ${CARDS} live cards. The browsers of all readers accept the same encodings. Each browser sends a request every ${EVERY_S} s, plus or minus 20%, with the ETag of its last answer. The measurement lasts ${seconds} s. nginx and Varnish run as in \`deploy/\`, with an empty cache at first. The key has 60 calls per minute, so the oldest of the ${CARDS} pulses is usually older than its lifetime. The BFF's own metrics count the requests that reach it, in windows of ${WINDOW_S} s.

${table(
  [
    'in front of the BFF',
    'requests from readers',
    'requests that reach the BFF',
    `mean in ${WINDOW_S} s`,
    `largest number in ${WINDOW_S} s`,
  ],
  found.map((each) => [each.name, each.asked, each.reached, perWindow(each), each.maxInWindow]),
)}

Goal: with a cache in front, at most one request reaches the BFF in ${WINDOW_S} s.
`,
  };
}
