import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import type { ReactiveController } from 'lit';
import { fullPulse } from '@pulse-card/contract/examples';
import { failureOf, type Result } from '../data/result.ts';
import { loadPulse } from '../data/batch-loader.ts';
import { ReaderSession } from '../data/reader-session.ts';
import { page as widgetPage } from './page.ts';
import { type LoadOptions, ResourceController } from './resource.ts';
import type { ResourceState } from './resource-state.ts';
import type { Pulse } from '../data/pulse.ts';

/** The parts of a document that the controller uses. */
const page = { hidden: false };
Object.assign(globalThis, { document: page });

const statuses: string[] = [];
let responses: Response[] = [];
let requests = 0;

/** A host that updates synchronously. */
class Host {
  _key = 'src_1';
  _isWanted = true;
  _isPaused = false;
  isConnected = true;
  updateComplete = Promise.resolve(true);
  readonly resource: ResourceController<Pulse>;
  readonly #session = new ReaderSession({ baseUrl: 'https://bff.test' });
  readonly #controllers: ReactiveController[] = [];

  constructor() {
    this.resource = new ResourceController<Pulse>(this);
  }
  _request(options: LoadOptions): Promise<Result> {
    return loadPulse(this._key, { ...options, getSession: () => this.#session });
  }
  _onResourceChange(_: ResourceState, { status }: ResourceState): void {
    statuses.push(status);
    queueMicrotask(() => this.requestUpdate());
  }
  addController(controller: ReactiveController): void {
    this.#controllers.push(controller);
  }
  removeController(): void {}
  requestUpdate(): void {
    this.resource.start();
    for (const controller of this.#controllers) controller.hostUpdated?.();
  }
  disconnect(): void {
    this.isConnected = false;
    for (const controller of this.#controllers) controller.hostDisconnected?.();
  }
}

function connect(fields: Partial<Host> = {}): Host {
  const host = Object.assign(new Host(), fields);
  host.requestUpdate();
  return host;
}

function good(meta: object = { stale: false }): Response {
  return Response.json({ pulses: [{ sourceId: 'src_1', ok: true, meta, pulse: fullPulse }] });
}

function bad(headers: Record<string, string> = {}): Response {
  return Response.json({ success: false, error: 'No', code: 'internal' }, { status: 500, headers });
}

/** Moves the clock forward by `ms` and lets the promises settle. */
async function pass(ms: number): Promise<void> {
  mock.timers.tick(ms);
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
  await new Promise((resolve) => setImmediate(resolve));
}

describe('ResourceController', () => {
  beforeEach(() => {
    statuses.length = 0;
    requests = 0;
    page.hidden = false;
    mock.timers.enable({ apis: ['setTimeout', 'Date'] });
    widgetPage.jitter = 0;
    mock.method(globalThis, 'fetch', () => Promise.resolve(((requests += 1), (responses.shift() ?? bad()).clone())));
  });
  afterEach(() => {
    mock.timers.reset();
    mock.restoreAll();
  });

  it('requests its host’s resource and shows the response', async () => {
    responses = [good()];
    connect();
    await pass(10);
    assert.deepEqual(statuses, ['loading', 'ready']);
  });

  it('sends no requests until the host is near the viewport', async () => {
    responses = [good()];
    const host = connect({ _isWanted: false });
    await pass(60_000);
    assert.equal(requests, 0);
    host._isWanted = true;
    host.requestUpdate();
    await pass(10);
    assert.deepEqual([requests, statuses.at(-1)], [1, 'ready']);
  });

  it('retries automatically after 1, 2, and 4 seconds', async () => {
    responses = [];
    connect();
    await pass(10);
    const counts: number[] = [];
    for (const ms of [999, 11, 1_989, 11, 3_989, 11, 600_000]) {
      await pass(ms);
      await pass(10);
      counts.push(requests);
    }
    assert.deepEqual(counts, [1, 2, 2, 3, 3, 4, 4]);
    assert.equal(statuses.at(-1), 'error');
  });

  it('retries at most every 30 s after four failures, until a request succeeds', async () => {
    responses = [bad(), bad(), bad(), bad(), bad(), good()];
    const { resource } = connect();
    for (const ms of [10, 1_000, 10, 2_000, 10, 4_000, 10]) await pass(ms);
    const counts: number[] = [];
    for (const ms of [29_000, 1_000, 30_000, 30_000]) {
      await pass(ms);
      resource.revalidateIfDue(false);
      await pass(10);
      counts.push(requests);
    }
    assert.deepEqual(counts, [4, 5, 5, 6]);
    assert.equal(statuses.at(-1), 'ready');
  });

  it('requests a live resource on each tick of the page’s timer, but not before Retry-After has passed', async () => {
    responses = [good(), good(), bad({ 'Retry-After': '40' })];
    const { resource } = connect();
    await pass(10);
    const counts: number[] = [];
    for (const ms of [30_000, 30_000, 30_000, 30_000]) {
      await pass(ms);
      resource.revalidateIfDue(true);
      await pass(10);
      counts.push(requests);
    }
    assert.deepEqual(counts, [2, 3, 3, 4]);
  });

  for (const [what, isLong, response, expected] of [
    ['failed data again when the reader returns', false, bad({ 'Retry-After': '0' }), 2],
    ['nothing before Retry-After has passed', false, bad({ 'Retry-After': '60' }), 1],
    ['nothing if nothing has failed', false, good(), 1],
    ['everything again after a long absence', true, good(), 2],
  ] as const) {
    it(`requests ${what}`, async () => {
      responses = [response];
      const { resource } = connect();
      await pass(10);
      resource.revalidateOnReturn(isLong);
      await pass(10);
      assert.equal(requests, expected);
    });
  }

  for (const [what, act] of [
    ['the host updates', (host) => host.requestUpdate()],
    ['the page’s timer ticks', ({ resource }) => resource.revalidateIfDue(false)],
    ['the reader returns', ({ resource }) => resource.revalidateOnReturn(false)],
  ] as readonly [string, (host: Host) => void][]) {
    it(`sends nothing while a retry waits for its response: ${what}`, async () => {
      const host = connect();
      await pass(10);
      mock.method(globalThis, 'fetch', () => ((requests += 1), new Promise(() => {})));
      await pass(1_000);
      await pass(10);
      act(host);
      await pass(10);
      await pass(10);
      assert.equal(requests, 2);
    });
  }

  it('retries after it’s reset to a temporary failure', async () => {
    responses = [good(), good()];
    const { resource } = connect();
    await pass(10);
    resource.reset(failureOf('network', 0));
    await pass(60_000);
    resource.revalidateIfDue(false);
    await pass(10);
    assert.deepEqual([resource.state.status, requests], ['ready', 2]);
  });

  it('sends no requests while the page is hidden, and continues when it becomes visible again', async () => {
    responses = [bad(), good()];
    const host = connect();
    await pass(10);
    page.hidden = true;
    host.requestUpdate();
    await pass(600_000);
    assert.equal(requests, 1);
    page.hidden = false;
    host.requestUpdate();
    await pass(1);
    await pass(10);
    assert.deepEqual([requests, statuses.at(-1)], [2, 'ready']);
  });

  it('sends no requests once the host is removed', async () => {
    responses = [];
    const host = connect();
    await pass(10);
    host.disconnect();
    await pass(600_000);
    assert.equal(requests, 1);
  });

  it('sends no request for a host that is removed while the request waits to be sent, until the host is back', async () => {
    responses = [good()];
    await pass(10);
    const host = connect();
    host.disconnect();
    await Promise.resolve();
    await pass(10);
    assert.deepEqual([requests, host.resource.state.status], [0, 'idle']);
    host.isConnected = true;
    host.requestUpdate();
    await pass(10);
    assert.deepEqual([requests, host.resource.state.status], [1, 'ready']);
  });

  it('shows once that the reader must sign in', async () => {
    responses = [new Response('<h1>Sign in</h1>', { status: 401 })];
    connect();
    await pass(10);
    await pass(600_000);
    assert.deepEqual(statuses, ['loading', 'error']);
  });

  it('sends only one request if the reader clicks the button several times', async () => {
    responses = [bad({ 'Retry-After': '300' }), bad({ 'Retry-After': '300' })];
    const { resource } = connect();
    await pass(10);
    void resource.refresh();
    void resource.refresh();
    void resource.refresh();
    await pass(10);
    assert.deepEqual([requests, statuses], [2, ['loading', 'error', 'loading', 'error']]);
  });

  it('drops the response to a request for an earlier key', async () => {
    responses = [good(), bad()];
    const host = connect();
    await pass(5);
    host._key = 'src_2';
    host.requestUpdate();
    await pass(10);
    assert.ok(!statuses.includes('ready'));
  });

  it('sends no requests while its key is empty', async () => {
    const host = connect({ _key: '' });
    await host.resource.refresh();
    await pass(10);
    assert.deepEqual([requests, statuses], [0, []]);
    host._key = 'src_1';
    host.requestUpdate();
    await pass(10);
    assert.equal(requests, 1);
  });
});
