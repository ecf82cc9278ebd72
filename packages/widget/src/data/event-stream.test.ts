import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { fullPulse } from '@pulse-card/contract/examples';
import { Bff } from './bff.ts';
import type { Follower } from './event-stream.ts';

/** A request for a stream, and what the BFF says on it. */
interface Opened {
  readonly url: string;
  readonly lastEventId: string | null;
  readonly signal: AbortSignal;
  say(text: string): void;
  end(): void;
}

/** A follower that keeps what it hears. */
interface Listener extends Follower {
  sourceId: string;
  jobRunId: string | undefined;
  readonly heard: string[];
  polls: number;
}

const BASE = 'https://bff.test';
let bff = new Bff(BASE, undefined);
let opened: Opened[] = [];
/** What answers instead of a stream. */
let refusal: (() => Response | Promise<Response>) | undefined;

/** Adds a follower of `sourceId` that shows `run`. */
function follow(sourceId: string, run?: string): Listener {
  const heard: string[] = [];
  const listener: Listener = {
    sourceId,
    jobRunId: run,
    heard,
    polls: 0,
    onLivePulse: ({ data }) => void heard.push(data.jobRunId),
    onLivePoll: () => void (listener.polls += 1),
  };
  bff.events.add(listener);
  return listener;
}

const pulseText = (sourceId: string, run: string) =>
  `id: ${run}\nevent: pulse\ndata: ${JSON.stringify({ meta: { stale: false }, pulse: { ...fullPulse, sourceId, jobRunId: run }, source: null })}\n\n`;

async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Lets `ms` pass, and all that was promised meanwhile happen. */
async function pass(ms: number): Promise<void> {
  mock.timers.tick(ms);
  await settle();
}

function openStream(url: string, { headers, signal }: RequestInit): Response | Promise<Response> {
  if (refusal) return refusal();
  let controller: ReadableStreamDefaultController<Uint8Array>;
  const body = new ReadableStream<Uint8Array>({ start: (given) => void (controller = given) });
  signal?.addEventListener('abort', () => controller.error(signal.reason));
  opened.push({
    url,
    lastEventId: new Headers(headers).get('Last-Event-ID'),
    signal: signal as AbortSignal,
    say: (text) => controller.enqueue(new TextEncoder().encode(text)),
    end: () => controller.close(),
  });
  return new Response(body);
}

describe('EventStream', () => {
  beforeEach(() => {
    bff = new Bff(BASE, undefined);
    [opened, refusal] = [[], undefined];
    mock.timers.enable({ apis: ['setTimeout', 'Date'] });
    mock.method(Math, 'random', () => 0);
    mock.method(globalThis, 'fetch', (url: string, init: RequestInit) =>
      Promise.resolve().then(() => openStream(url, init)),
    );
  });
  afterEach(async () => {
    await settle();
    mock.timers.reset();
    mock.restoreAll();
  });

  it('opens one connection for all followers, and says which runs they show', async () => {
    for (const [id, run] of [['b', 'run_2'], ['a', 'run_1'], ['a', 'run_1'], ['c']] as const) follow(id, run);
    await pass(1_000);
    assert.deepEqual(
      opened.map(({ url, lastEventId }) => [url, lastEventId]),
      [[`${BASE}/v1/events?ids=b,a,c`, 'run_2,run_1,.']],
    );
  });

  it('tells each pulse to the followers of its source, wherever the text is cut', async () => {
    const [a, again, b] = [follow('a', 'run_1'), follow('a', 'run_1'), follow('b', 'run_1')];
    await pass(1_000);
    const text = `id: x\nretry: 4000\n\n:\n\n${pulseText('a', 'run_2')}:\n\n${pulseText('b', 'run_3')}`;
    for (let at = 0; at < text.length; at += 37) opened[0]?.say(text.slice(at, at + 37));
    await settle();
    assert.deepEqual([a.heard, again.heard, b.heard], [['run_2'], ['run_2'], ['run_3']]);
  });

  it('tells a pulse whose texts hold what JavaScript takes for the end of a line', async () => {
    const a = follow('a', 'run_1');
    await pass(1_000);
    opened[0]?.say(pulseText('a', 'run_2').replace('"meta"', '"note":"one\u2028two\u2029three","meta"'));
    await settle();
    assert.deepEqual(a.heard, ['run_2']);
  });

  it('reconnects when other sources are followed, with the runs shown by then', async () => {
    const a = follow('a', 'run_1');
    await pass(1_000);
    a.jobRunId = 'run_5';
    follow('b');
    follow('c');
    await pass(1_000);
    assert.ok(opened[0]?.signal.aborted);
    assert.deepEqual([opened.length, opened[1]?.lastEventId], [2, 'run_5,.']);
  });

  it('reconnects when a follower is given another source', async () => {
    const a = follow('a', 'run_1');
    await pass(1_000);
    a.sourceId = 'b';
    bff.events.add(a);
    await pass(1_000);
    assert.deepEqual(
      opened.map(({ url }) => url.split('=')[1]),
      ['a', 'b'],
    );
  });

  it('stays connected when a follower is added again, or joined by another of its source', async () => {
    const a = follow('a', 'run_1');
    await pass(1_000);
    opened[0]?.say('retry: 4000\n\n');
    await settle();
    bff.events.add(a);
    follow('a', 'run_1');
    await pass(30_000);
    assert.equal(opened.length, 1);
  });

  it('ends when nobody follows any more, and leaves no timer', async () => {
    const a = follow('a');
    await pass(1_000);
    bff.events.delete(a);
    await pass(600_000);
    assert.ok(opened[0]?.signal.aborted);
    assert.deepEqual([opened.length, a.polls], [1, 0]);
  });

  it('reconnects when the server said, and no sooner, without polling', async () => {
    const a = follow('a', 'run_1');
    await pass(1_000);
    opened[0]?.say('retry: 3000\n\nevent: bye\nretry: 7000\ndata: {}\n\n');
    opened[0]?.end();
    await settle();
    await pass(6_999);
    assert.equal(opened.length, 1);
    await pass(1);
    assert.deepEqual([opened.length, a.polls], [2, 0]);
  });

  it('reconnects a little later than other pages', async () => {
    mock.method(Math, 'random', () => 0.99);
    follow('a');
    await pass(1_000);
    opened[0]?.say('retry: 4000\n\n');
    opened[0]?.end();
    await settle();
    await pass(5_900);
    assert.equal(opened.length, 1);
    await pass(100);
    assert.equal(opened.length, 2);
  });

  it('takes a minute of silence for a broken connection', async () => {
    follow('a');
    await pass(1_000);
    opened[0]?.say('retry: 4000\n\n');
    await settle();
    for (let beat = 0; beat < 5; beat += 1) {
      await pass(25_000);
      opened[0]?.say(':\n\n');
      await settle();
    }
    assert.equal(opened.length, 1);
    await pass(60_000);
    assert.deepEqual([opened.length, opened[0]?.signal.aborted], [2, true]);
  });

  describe('where no stream can be had', () => {
    const failures: Record<string, () => Response | Promise<Response>> = {
      'there is no room': () => Response.json({ code: 'rate_limited' }, { status: 429 }),
      'the BFF is older': () => Response.json({ code: 'not_found' }, { status: 404 }),
      'there is no connection': () => Promise.reject(new TypeError('Failed to fetch')),
      'a proxy answers': () => new Response('<!doctype html>'),
      'a proxy holds everything back': () => new Response(new ReadableStream()),
    };
    for (const [what, failure] of Object.entries(failures)) {
      it(`has followers poll every 15 seconds, and tries again: ${what}`, async () => {
        refusal = failure;
        const a = follow('a', 'run_1');
        await pass(1_000);
        for (let second = 0; second < 60; second += 1) await pass(1_000);
        assert.equal(a.polls, 4);
        refusal = undefined;
        await pass(15_000);
        assert.equal(opened.length, 1);
      });
    }

    it('tries again when the BFF said', async () => {
      refusal = () => Response.json({}, { status: 503, headers: { 'Retry-After': '40' } });
      follow('a');
      await pass(1_000);
      refusal = undefined;
      await pass(39_999);
      assert.equal(opened.length, 0);
      await pass(1);
      assert.equal(opened.length, 1);
    });
  });
});
