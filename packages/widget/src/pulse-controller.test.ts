import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { fullPulse } from '@pulse-card/contract/examples';
import type { PulseHost } from './pulse-controller.ts';

/** A page without a DOM: it can be hidden, go online, and say that something is near. */
class PageDouble extends EventTarget {
  hidden = false;
  near: (() => void)[] = [];
}

const page = new PageDouble();
Object.assign(globalThis, {
  document: page,
  window: page,
  matchMedia: () => new EventTarget(),
  IntersectionObserver: class {
    readonly #callback: (entries: { isIntersecting: boolean }[]) => void;
    constructor(callback: (entries: { isIntersecting: boolean }[]) => void) {
      this.#callback = callback;
    }
    observe(): void {
      page.near.push(() => this.#callback([{ isIntersecting: true }]));
    }
    disconnect(): void {
      page.near.length = 0;
    }
  },
});
const { PulseController } = await import('./pulse-controller.ts');
const { pulseStore } = await import('./pulse-client.ts');

const states: string[] = [];
let answers: Response[] = [];
let asked = 0;

function stageHost(fields: Partial<PulseHost> = {}) {
  const host = {
    subject: 'src_1',
    ask: (again: boolean) => pulseStore().ask('https://bff.test', 'src_1', again),
    loading: 'eager',
    isConnected: true,
    requestUpdate() {},
    modelChanged: (_: unknown, { state }: { state: string }) => states.push(state),
    ...fields,
  };
  return { host, card: new PulseController(host as unknown as PulseHost) };
}

function good(): Response {
  return Response.json({ pulses: [{ sourceId: 'src_1', ok: true, meta: { stale: false }, pulse: fullPulse }] });
}

function bad(headers: Record<string, string> = {}): Response {
  return Response.json({ success: false, error: 'No', code: 'internal' }, { status: 500, headers });
}

/** Lets `ms` pass, and all that was promised meanwhile happen. */
async function pass(ms: number): Promise<void> {
  mock.timers.tick(ms);
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
  await new Promise((resolve) => setImmediate(resolve));
}

describe('PulseController', () => {
  beforeEach(() => {
    states.length = 0;
    asked = 0;
    page.hidden = false;
    mock.timers.enable({ apis: ['setTimeout', 'Date'] });
    mock.method(Math, 'random', () => 0);
    mock.method(globalThis, 'fetch', () => Promise.resolve(((asked += 1), (answers.shift() ?? bad()).clone())));
  });
  afterEach(() => {
    mock.timers.reset();
    mock.restoreAll();
  });

  it('asks when it is connected, and shows what comes', async () => {
    answers = [good()];
    stageHost().card.connect();
    await pass(10);
    assert.deepEqual(states, ['loading', 'ready']);
  });

  it('waits until it is near, where it is lazy', async () => {
    answers = [good()];
    stageHost({ loading: 'lazy' }).card.connect();
    await pass(60_000);
    assert.equal(asked, 0);
    page.near.forEach((tell) => tell());
    await pass(10);
    assert.deepEqual([asked, states.at(-1)], [1, 'ready']);
  });

  it('asks three times more, after 1, 2 and 4 seconds, and never again', async () => {
    answers = [];
    stageHost().card.connect();
    await pass(10);
    const counts: number[] = [];
    for (const ms of [999, 11, 1_989, 11, 3_989, 11, 600_000]) {
      await pass(ms);
      await pass(10);
      counts.push(asked);
    }
    assert.deepEqual(counts, [1, 2, 2, 3, 3, 4, 4]);
    assert.equal(states.at(-1), 'error');
  });

  it('asks nothing while the page is hidden, and goes on when it is seen', async () => {
    answers = [bad(), good()];
    stageHost().card.connect();
    await pass(10);
    page.hidden = true;
    page.dispatchEvent(new Event('visibilitychange'));
    await pass(600_000);
    assert.equal(asked, 1);
    page.hidden = false;
    page.dispatchEvent(new Event('visibilitychange'));
    await pass(1);
    await pass(10);
    assert.deepEqual([asked, states.at(-1)], [2, 'ready']);
  });

  it('asks nothing once it is removed', async () => {
    answers = [];
    const { card, host } = stageHost();
    card.connect();
    await pass(10);
    Object.assign(host, { isConnected: false });
    card.disconnect();
    await pass(600_000);
    assert.equal(asked, 1);
  });

  it('asks once more when the connection is back, and only if something is missing', async () => {
    answers = [bad({ 'Retry-After': '300' }), good()];
    stageHost().card.connect();
    await pass(10);
    for (let time = 0; time < 3; time++) {
      page.dispatchEvent(new Event('online'));
      await pass(10);
    }
    assert.deepEqual([asked, states.at(-1)], [2, 'ready']);
  });

  it('drops the answer to a question that is no longer asked', async () => {
    answers = [good(), bad()];
    const { card, host } = stageHost();
    card.connect();
    await pass(5);
    Object.assign(host, { subject: 'src_2', ask: () => pulseStore().ask('https://bff.test', 'src_2', false) });
    card.restart();
    await pass(10);
    assert.ok(!states.includes('ready'));
  });

  it('asks for nothing while there is nothing to ask for', async () => {
    const { card, host } = stageHost({ subject: '' });
    card.connect();
    await pass(10);
    assert.deepEqual([asked, states], [0, []]);
    Object.assign(host, { subject: 'src_1' });
    card.restart();
    await pass(10);
    assert.equal(asked, 1);
  });
});
