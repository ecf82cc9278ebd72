// Preloaded (`--import`) into a server whose clock a test advances. CLOCK_SPEED is how fast its time passes. CLOCK_FILE
// contains the number of milliseconds by which the clock should be ahead; they pass in forty steps, so that timers run
// as usual. CLOCK_FROM is the time at which the clock was right, so that several processes agree.
import { syncBuiltinESMExports } from 'node:module';
import { readFileSync, writeFileSync } from 'node:fs';
import timersPromises from 'node:timers/promises';
import timers from 'node:timers';
import { promisify } from 'node:util';

const SPEED = Number(process.env['CLOCK_SPEED'] ?? 1);
const FILE = process.env['CLOCK_FILE'];
const STEPS = 40;
const POLL_MS = 10;

/** Shorter timers are call deadlines, which take real time. A push doesn't end them early. */
const DEADLINE_MS = 9_000;

const real = {
  date: Date.now.bind(Date),
  now: performance.now.bind(performance),
  hrtime: process.hrtime.bigint.bind(process.hrtime),
  setTimeout: globalThis.setTimeout,
  setInterval: globalThis.setInterval,
  clear: globalThis.clearTimeout,
};
const [date0, now0, hr0] = [real.date(), real.now(), real.hrtime()];
let pushedMs = FILE === undefined ? 0 : Number(readFileSync(FILE, 'utf8'));
const FROM = Number(process.env['CLOCK_FROM'] ?? date0);
const ahead = (date0 - FROM) * (SPEED - 1);
const passed = (): number => (real.now() - now0) * SPEED + pushedMs;

const RealDate = Date;
globalThis.Date = class extends RealDate {
  constructor(...parts: [] | [number]) {
    if (parts.length === 0) super(RealDate.now());
    else super(...parts);
  }
} as DateConstructor;
RealDate.now = () => Math.floor(date0 + ahead + passed());
Date.now = RealDate.now;
performance.now = () => now0 + passed();
process.hrtime.bigint = () => hr0 + BigInt(Math.round(passed() * 1e6));

/** The waiting timers, each with the time at which it is due. */
const waiting = new Map<NodeJS.Timeout, { due: number; fire: () => void }>();
type Callback = (...args: unknown[]) => void;

function pushedTimeout(callback: Callback, ms = 0, ...args: unknown[]): NodeJS.Timeout {
  const fire = (): void => {
    waiting.delete(timer);
    real.clear(timer);
    callback(...args);
  };
  const timer = real.setTimeout(fire, ms / SPEED);
  return remembered(timer, ms, fire);
}

function pushedInterval(callback: Callback, ms = 0, ...args: unknown[]): NodeJS.Timeout {
  const fire = (): void => {
    const entry = waiting.get(timer);
    if (entry) entry.due = passed() + ms;
    callback(...args);
  };
  const timer = real.setInterval(fire, ms / SPEED);
  return remembered(timer, ms, fire);
}

function remembered(timer: NodeJS.Timeout, ms: number, fire: () => void): NodeJS.Timeout {
  if (ms <= DEADLINE_MS) return timer;
  waiting.set(timer, { due: passed() + ms, fire });
  const refresh = timer.refresh.bind(timer);
  timer.refresh = () => {
    waiting.set(timer, { due: passed() + ms, fire });
    return refresh();
  };
  return timer;
}

const clear = (timer: NodeJS.Timeout): void => {
  waiting.delete(timer);
  real.clear(timer);
};

const pause = (ms?: number, value?: unknown, { signal, ref = true }: { signal?: AbortSignal; ref?: boolean } = {}) =>
  new Promise((resolve, reject) => {
    const timer = pushedTimeout(() => resolve(value), ms);
    if (!ref) timer.unref();
    const abort = (): void => {
      clear(timer);
      reject(new DOMException('The operation was aborted', 'AbortError'));
    };
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });

const all = { setTimeout: pushedTimeout, setInterval: pushedInterval, clearTimeout: clear, clearInterval: clear };
Object.assign(all.setTimeout, { [promisify.custom]: pause });
Object.assign(globalThis, all);
Object.assign(timers, all);
Object.assign(timersPromises, { setTimeout: pause });
AbortSignal.timeout = (ms) => {
  const controller = new AbortController();
  const late = () => controller.abort(new DOMException('The operation timed out', 'TimeoutError'));
  pushedTimeout(late, ms).unref();
  return controller.signal;
};
syncBuiltinESMExports();

let target = pushedMs;
let stepMs = 0;
function step(): void {
  const wanted = Number(readFileSync(String(FILE), 'utf8') || 0);
  if (wanted !== target) [target, stepMs] = [wanted, (wanted - pushedMs) / STEPS];
  if (pushedMs >= target) return;
  pushedMs = Math.min(target, pushedMs + stepMs);
  const due = [...waiting].filter(([, entry]) => entry.due <= passed()).toSorted(([, a], [, b]) => a.due - b.due);
  for (const [timer, { fire }] of due) if (waiting.has(timer) && timer.hasRef !== undefined && !isGone(timer)) fire();
  if (pushedMs >= target) writeFileSync(`${FILE}.done`, String(target));
}

function isGone(timer: NodeJS.Timeout): boolean {
  return (timer as unknown as { _destroyed?: boolean })._destroyed === true;
}

if (FILE !== undefined) real.setInterval(step, POLL_MS).unref();
