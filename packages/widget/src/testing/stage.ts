import { emulateMedia, type Media } from '@web/test-runner-commands';
import type Axe from 'axe-core';
import type { PulseBoard, PulseCard } from '../elements/index.ts';
import { fakeToken } from '../fake-bff/fake-token.ts';

const { setInterval: startInterval } = globalThis;
const onTicks: (() => void)[] = [];

/** All elements share one interval. The tests run it by calling `tick()`. */
globalThis.setInterval = ((...args: Parameters<typeof startInterval>) => {
  const [onTick, ms = 0] = args;
  if (ms < 20_000) return startInterval(...args);
  onTicks.push(onTick);
  return 0;
}) as typeof startInterval;

/** Runs the interval shared by the elements on this page, as if its 30 seconds were up. */
export function tick(): void {
  for (const onTick of onTicks) onTick();
}

const { now } = Date;

// By default, a browser lists only the page's first 250 requests. Waiting for a response takes many requests.
performance.setResourceTimingBufferSize(100_000);

/** Moves the page's clock forward. `clearStage()` resets it. */
export function advance(ms: number): void {
  const ahead = Date.now() - now() + ms;
  Date.now = () => now() + ahead;
}

/** Stops the page's clock, `ms` later than it is now. `clearStage()` resets it. */
export function stopClock(ms = 0): void {
  const at = Date.now() + ms;
  Date.now = () => at;
}

/** Makes the page report that it is hidden, because automated browsers always show their pages. */
export function setHidden(isHidden: boolean): void {
  Object.defineProperty(document, 'hidden', { value: isHidden, configurable: true });
  document.dispatchEvent(new Event('visibilitychange'));
}

/** A stub BFF for one test, with the given behaviors. */
export class StubBff {
  /** Another page may create a stub at the same time, and the server serves both. */
  readonly #name = crypto.randomUUID();
  readonly base: string;

  constructor(behaviors = 'ok', origin = location.origin) {
    this.base = `${origin}/bff/${this.#name}/${behaviors}`;
  }

  /** Resolves to the requested URLs that contain `part`. */
  async asked(part = '/v1/pulses'): Promise<string[]> {
    const response = await fetch(`/bff/${this.#name}/log`);
    const urls = (await response.json()) as string[];
    return urls.filter((url) => url.includes(part));
  }

  /** Resolves to the tokens that the BFF has received so far. */
  async tokens(): Promise<string[]> {
    return (await (await fetch(`/bff/${this.#name}/tokens`)).json()) as string[];
  }

  /** Releases the images of `held-…` sources. */
  async release(): Promise<void> {
    await fetch(`/bff/${this.#name}/release`);
  }

  async deliver(source: string, run: string): Promise<void> {
    await fetch(`/bff/${this.#name}/deliver?${new URLSearchParams({ source, run })}`);
  }
}

/** A token with this name, which expires after `seconds`. */
export function tokenFor(name: string, seconds = 300, claims: object = {}): string {
  return fakeToken({ name, expiresInSeconds: seconds, ...claims });
}

/** Opens a page in a frame. `watch` is called with the page's window before any delayed script on the page runs. */
export async function openPage(
  html: string,
  options: Readonly<Record<string, string>> = {},
  width = 600,
  watch?: (page: Window & typeof globalThis) => void,
): Promise<HTMLIFrameElement> {
  const frame = document.createElement('iframe');
  frame.width = String(width);
  frame.height = '1600';
  frame.src = `/page?${new URLSearchParams({ html, ...options })}`;
  const loaded = new Promise((resolve) => frame.addEventListener('load', resolve));
  document.body.append(frame);
  if (watch) {
    await eventually(() => frame.contentDocument?.URL.includes('/page?') && frame.contentDocument.body);
    watch(frame.contentWindow as Window & typeof globalThis);
  }
  await loaded;
  return frame;
}

/** Dispatches the event that a browser fires when this page goes into the back/forward cache. */
export function storePage(): void {
  dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }));
}

/** Dispatches the event that a browser fires when it restores this page from the back/forward cache. */
export function restorePage(): void {
  dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
}

/** Loads the built script and then puts a card on this page. */
export function stageCard(
  bff: StubBff,
  sourceId: string,
  attributes: Readonly<Record<string, string>> = {},
): Promise<PulseCard> {
  return stage('pulse-card', { 'base-url': bff.base, 'source-id': sourceId, ...attributes });
}

/** Loads the built script and then puts a board on this page. */
export function stageBoard(bff: StubBff, attributes: Readonly<Record<string, string>> = {}): Promise<PulseBoard> {
  return stage('pulse-board', { 'base-url': bff.base, ...attributes });
}

async function stage<Tag extends 'pulse-card' | 'pulse-board'>(
  tag: Tag,
  attributes: Readonly<Record<string, string>>,
): Promise<HTMLElementTagNameMap[Tag]> {
  await import(/* @vite-ignore */ `${location.origin}/bff/script/ok/pulse-board.js`);
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  document.body.append(element);
  return element;
}

/** Waits until a card or board is in one of these states and has rendered it. */
export async function until<Shown extends PulseCard | PulseBoard>(
  card: Shown,
  ...states: readonly string[]
): Promise<Shown> {
  await eventually(() => states.includes(card.state));
  await card.updateComplete;
  return card;
}

/** Waits until `fact` is true. */
export async function eventually(fact: () => unknown, withinMs = 60_000): Promise<void> {
  const end = performance.now() + withinMs;
  while (!(await fact())) {
    if (performance.now() > end)
      throw new Error(`Timed out after ${withinMs} ms waiting for this to be true: ${String(fact)}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Waits for the chart of `card`, because a card changes its state before it renders. */
export async function loadedChart(card: Element | null | undefined): Promise<HTMLImageElement> {
  const chart = () => card?.shadowRoot?.querySelector<HTMLImageElement>('[part=image]');
  await eventually(() => chart()?.complete && chart()?.naturalWidth);
  return chart() as HTMLImageElement;
}

/**
 * Waits until no card has been drawn for five animation frames. Observers report within two frames, and each report can
 * cause one more drawing.
 */
export async function untilAtRest(cards: Iterable<PulseCard>): Promise<void> {
  let quietFrames = 0;
  const controller = { hostUpdated: () => void (quietFrames = 0) };
  for (const card of cards) card.addController(controller);
  while (quietFrames < 5) {
    quietFrames += 1;
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  }
  for (const card of cards) card.removeController(controller);
}

/** The first element in the card's shadow root that matches the selector. */
// eslint-disable-next-line typescript/no-unnecessary-type-parameters -- the same signature as querySelector
export function within<Kind extends HTMLElement = HTMLElement>(card: Element, selector: string): Kind {
  const found = card.shadowRoot?.querySelector<Kind>(selector);
  if (!found) throw new Error(`Can’t find "${selector}": not in ${card.shadowRoot?.innerHTML}`);
  return found;
}

/** Resolves to the accessibility rules that `element` violates, according to axe. */
export async function brokenRulesOf(element: Element): Promise<string[]> {
  await import(/* @vite-ignore */ `${location.origin}/node_modules/axe-core/axe.min.js`);
  const { axe } = globalThis as unknown as { axe: typeof Axe };
  const { violations } = await axe.run(element, { resultTypes: ['violations'] });
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

/** Runs `story` and returns the warnings that it logged to the console of `page`. */
export async function linesOf(
  story: (lines: readonly string[]) => Promise<unknown>,
  page: typeof globalThis = globalThis,
): Promise<string[]> {
  const lines: string[] = [];
  const { warn } = page.console;
  page.console.warn = (line: string) => lines.push(line);
  try {
    await story(lines);
  } finally {
    page.console.warn = warn;
  }
  return lines;
}

/** A timer that a test fires. */
export interface Alarm {
  readonly ring: () => void;
  readonly afterMs: number;
}

/** Loads the code that cards load after the first paint, so that a test doesn't depend on when it arrives. */
export async function loadAfterPaint(): Promise<void> {
  await until(await stageCard(new StubBff(), 'ready-1', { loading: 'eager' }), 'ready');
  const file = () => performance.getEntriesByType('resource').find(({ name }) => name.includes('after-paint'));
  await eventually(file);
  await import(file()?.name as string);
  clearStage();
}

/** Runs `story` with the clock stopped. Timers of a second or more fire only when the story fires them. */
export async function withAlarms(story: (alarms: Alarm[]) => Promise<void>): Promise<void> {
  const { setTimeout } = globalThis;
  const { now } = Date;
  const alarms: Alarm[] = [];
  const at = now();
  Date.now = () => at;
  globalThis.setTimeout = ((ring: () => void, afterMs = 0) =>
    afterMs < 1_000 ? setTimeout(ring, afterMs) : alarms.push({ ring, afterMs })) as typeof setTimeout;
  try {
    await story(alarms);
  } finally {
    globalThis.setTimeout = setTimeout;
    Date.now = now;
  }
}

/**
 * `it` with emulated media. Only Chromium runs these tests, because WebDriver can't emulate media in other browsers.
 */
export function itEmulating(media: Media): (title: string, story: () => Promise<void>) => void {
  const run = navigator.userAgent.includes('Chrome') ? it : it.skip;
  return (title, story) =>
    run(title, async () => {
      await emulateMedia(media);
      try {
        await story();
      } finally {
        await emulateMedia({ media: 'screen', forcedColors: 'none', reducedMotion: 'no-preference' });
      }
    });
}

/** Removes everything from the page. */
export function clearStage(): void {
  Date.now = now;
  if (document.hidden) setHidden(false);
  for (const node of document.querySelectorAll('pulse-card, pulse-board, iframe, .stage')) node.remove();
  // If the page stays scrolled, Chromium keeps the next test's elements in view (scroll anchoring).
  scrollTo(0, 0);
}
