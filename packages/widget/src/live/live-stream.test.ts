import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { fullPulse } from '@pulse-card/contract/examples';
import type { LiveCard } from './live-stream.ts';

const page = { hidden: false };
Object.assign(globalThis, { document: page });
const { follow } = await import('./live-stream.ts');

/** A request for a stream, and what the BFF says on it. */
interface Opened {
  readonly url: string;
  readonly lastEventId: string | null;
  readonly signal: AbortSignal;
  say(text: string): void;
  end(): void;
}

/** A card that keeps what it is told. */
interface StagedCard extends LiveCard {
  readonly shown: string[];
  readonly asked: number[];
}

let base = '';
let opened: Opened[] = [];
/** What answers instead of a stream. */
let refusal: (() => Response | Promise<Response>) | undefined;
let staged: StagedCard[] = [];

function cardOf(subject: string, run?: string, fields: Partial<LiveCard> = {}): StagedCard {
  const shown: string[] = [];
  const asked: number[] = [];
  const card = {
    live: true,
    isConnected: true,
    base,
    subject,
    shown,
    asked,
    controller: {
      model: { state: 'ready', pulse: run === undefined ? null : { jobRunId: run } },
      show: (outcome: { pulse: { jobRunId: string } }) => shown.push(outcome.pulse.jobRunId),
      renew: () => Promise.resolve(asked.push(Date.now())),
    },
    ...fields,
  };
  staged.push(card as unknown as StagedCard);
  return card as unknown as StagedCard;
}

function stage(subject: string, run?: string, fields?: Partial<LiveCard>) {
  const card = cardOf(subject, run, fields);
  follow(card);
  return card;
}

function tell(card: LiveCard, fields: Partial<Record<keyof LiveCard, unknown>> = {}): void {
  follow(Object.assign(card, fields));
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

describe('follow()', () => {
  let count = 0;
  beforeEach(() => {
    base = `https://bff-${count++}.test`;
    [opened, staged, refusal] = [[], [], undefined];
    page.hidden = false;
    mock.timers.enable({ apis: ['setTimeout', 'Date'] });
    mock.method(Math, 'random', () => 0);
    mock.method(globalThis, 'fetch', (url: string, init: RequestInit) =>
      Promise.resolve().then(() => openStream(url, init)),
    );
  });
  afterEach(async () => {
    for (const card of staged) tell(card, { isConnected: false });
    await settle();
    mock.timers.reset();
    mock.restoreAll();
  });

  it('opens one stream for all cards of a page, and says which runs they show', async () => {
    for (const [id, run] of [['b', 'run_2'], ['a', 'run_1'], ['a', 'run_1'], ['c']] as const) stage(id, run);
    await pass(1_000);
    assert.deepEqual(
      opened.map(({ url, lastEventId }) => [url, lastEventId]),
      [[`${base}/v1/events?ids=b,a,c`, 'run_2,run_1,.']],
    );
  });

  it('opens one for each BFF', async () => {
    stage('a');
    stage('a', 'run_1', { base: `${base}/other` });
    await pass(1_000);
    assert.equal(opened.length, 2);
    tell(staged.pop() as StagedCard, { isConnected: false });
  });

  it('opens none for a card that is not live, has not asked yet, has a pulse of the page or no id', async () => {
    stage('a', 'run_1', { live: false });
    stage('');
    stage('../admin');
    const idle = stage('b');
    Object.assign(idle.controller.model, { state: 'idle' });
    follow(idle);
    await pass(60_000);
    assert.equal(opened.length, 0);
  });

  it('shows each pulse on the cards of its source, wherever the text is cut', async () => {
    const [a, again, b] = [stage('a', 'run_1'), stage('a', 'run_1'), stage('b', 'run_1')];
    await pass(1_000);
    const text = `id: x\nretry: 4000\n\n:\n\n${pulseText('a', 'run_2')}:\n\n${pulseText('b', 'run_3')}`;
    for (let at = 0; at < text.length; at += 37) opened[0]?.say(text.slice(at, at + 37));
    await settle();
    assert.deepEqual([a.shown, again.shown, b.shown], [['run_2'], ['run_2'], ['run_3']]);
  });

  it('shows a pulse whose texts hold what JavaScript takes for the end of a line', async () => {
    const a = stage('a', 'run_1');
    await pass(1_000);
    opened[0]?.say(pulseText('a', 'run_2').replace('"meta"', '"note":"one\u2028two\u2029three","meta"'));
    await settle();
    assert.deepEqual(a.shown, ['run_2']);
  });

  it('opens another stream when other sources are followed, with what is shown by then', async () => {
    const a = stage('a', 'run_1');
    await pass(1_000);
    Object.assign(a.controller.model, { pulse: { jobRunId: 'run_5' } });
    stage('b');
    stage('c');
    await pass(1_000);
    assert.ok(opened[0]?.signal.aborted);
    assert.deepEqual([opened.length, opened[1]?.lastEventId], [2, 'run_5,.']);
  });

  it('stays as it is when a card is moved, rendered or joined by another of its source', async () => {
    const a = stage('a', 'run_1');
    await pass(1_000);
    opened[0]?.say('retry: 4000\n\n');
    await settle();
    follow(a);
    stage('a', 'run_1');
    await pass(30_000);
    assert.equal(opened.length, 1);
  });

  it('ends when nobody follows any more, and leaves no timer', async () => {
    const a = stage('a');
    await pass(1_000);
    tell(a, { live: false });
    await pass(600_000);
    assert.ok(opened[0]?.signal.aborted);
    assert.equal(opened.length, 1);
  });

  it('ends while the page is hidden, and goes on where it was when it is seen', async () => {
    const a = stage('a', 'run_1');
    await pass(1_000);
    page.hidden = true;
    follow(a);
    await pass(600_000);
    assert.deepEqual([opened.length, opened[0]?.signal.aborted, a.asked.length], [1, true, 0]);
    page.hidden = false;
    follow(a);
    await pass(1_000);
    assert.deepEqual([opened.length, opened[1]?.lastEventId], [2, 'run_1']);
  });

  it('comes back when it was told to, and no sooner, without asking', async () => {
    const a = stage('a', 'run_1');
    await pass(1_000);
    opened[0]?.say('retry: 3000\n\nevent: bye\nretry: 7000\ndata: {}\n\n');
    opened[0]?.end();
    await settle();
    await pass(6_999);
    assert.equal(opened.length, 1);
    await pass(1);
    assert.deepEqual([opened.length, a.asked.length], [2, 0]);
  });

  it('comes back a little later than others', async () => {
    mock.method(Math, 'random', () => 0.99);
    stage('a');
    await pass(1_000);
    opened[0]?.say('retry: 4000\n\n');
    opened[0]?.end();
    await settle();
    await pass(5_900);
    assert.equal(opened.length, 1);
    await pass(100);
    assert.equal(opened.length, 2);
  });

  it('takes a minute’s silence for a broken line', async () => {
    stage('a');
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
      'there is no place': () => Response.json({ code: 'upstream_unavailable' }, { status: 503 }),
      'the BFF is older': () => Response.json({ code: 'not_found' }, { status: 404 }),
      'there is no connection': () => Promise.reject(new TypeError('Failed to fetch')),
      'a proxy answers': () => new Response('<!doctype html>'),
      'a proxy holds everything back': () => new Response(new ReadableStream()),
    };
    for (const [what, failure] of Object.entries(failures)) {
      it(`asks every quarter of a minute, and tries again: ${what}`, async () => {
        refusal = failure;
        const a = stage('a', 'run_1');
        await pass(1_000);
        for (let second = 0; second < 60; second += 1) await pass(1_000);
        assert.equal(a.asked.length, 4);
        refusal = undefined;
        await pass(15_000);
        assert.equal(opened.length, 1);
      });
    }

    it('asks nothing while the page is hidden', async () => {
      refusal = failures['there is no connection'];
      const a = stage('a');
      await pass(1_000);
      page.hidden = true;
      follow(a);
      await pass(600_000);
      assert.equal(a.asked.length, 0);
    });

    it('tries again when the BFF said', async () => {
      refusal = () => Response.json({}, { status: 503, headers: { 'Retry-After': '40' } });
      stage('a');
      await pass(1_000);
      refusal = undefined;
      await pass(39_999);
      assert.equal(opened.length, 0);
      await pass(1);
      assert.equal(opened.length, 1);
    });
  });
});
