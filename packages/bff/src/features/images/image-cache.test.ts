import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pngOf } from '../../testing/fake-cdn.ts';
import { createVirtualClock, settled } from '../../testing/virtual-clock.ts';
import { ImageCache } from './image-cache.ts';
import type { ImageOutcome, ImageReader } from './image-proxy.ts';

const readerWho = ({ hasLeft }: { hasLeft: boolean }) =>
  ({ request: { socket: { destroyed: hasLeft } }, response: { closed: hasLeft } }) as unknown as ImageReader;

const READER = readerWho({ hasLeft: false });

const CHART = new URL('https://cdn.test/a.png');

/** A cache whose image host answers when the test tells it to. */
function openStore() {
  /** Answers the pending requests. */
  const asked: ((outcome: ImageOutcome) => void)[] = [];
  const clock = createVirtualClock();
  const store = new ImageCache({ fetchImage: () => new Promise((answer) => asked.push(answer)), clock });
  return {
    asked,
    clock,
    store,
    read: (run: string, address = CHART, reader = READER) => store.read(run, address, reader),
  };
}

const good = (bytes = 8): ImageOutcome => ({ ok: true, bytes: Buffer.alloc(bytes) });
const bad: ImageOutcome = { ok: false, code: 'upstream_invalid' };

describe('ImageCache', () => {
  it('T-55: fetches a chart once for a thousand simultaneous readers and for all later readers', async () => {
    const { read, asked } = openStore();
    const waiting = Array.from({ length: 1_000 }, () => read('run_1'));
    assert.equal(asked.length, 1);
    const chart = good();
    asked[0]?.(chart);
    for (const outcome of await Promise.all(waiting)) assert.equal(outcome, chart);
    assert.deepEqual(await read('run_1'), chart);
    assert.equal(asked.length, 1);
  });

  it('T-55: never returns the chart of another run or from another address', async () => {
    const { read, asked } = openStore();
    const other = new URL('https://cdn.test/b.png');
    void [read('run_1'), read('run_2'), read('run_1', other), read('run_1 https://cdn.test/a.png')];
    assert.equal(asked.length, 4);
  });

  it('knows only the sizes of stored charts', async () => {
    const { read, asked, store } = openStore();
    void read('run_1');
    assert.equal(store.sizeOf('run_1', CHART), undefined);
    asked[0]?.({ ok: true, bytes: pngOf() });
    await read('run_1');
    assert.deepEqual(store.sizeOf('run_1', CHART), { width: 1_600, height: 900 });
    assert.equal(store.sizeOf('run_2', CHART), undefined);
  });

  it('doesn’t fetch a chart for a reader who has already left', async () => {
    const { read, asked } = openStore();
    assert.equal((await read('run_1', CHART, readerWho({ hasLeft: true }))).ok, false);
    assert.equal(asked.length, 0);
  });

  it('T-55: waits five seconds after a failure before it requests the chart again', async () => {
    const { read, asked, clock } = openStore();
    const first = read('run_1');
    asked[0]?.(bad);
    assert.deepEqual(await first, bad);
    await clock.advance(5_000);
    assert.deepEqual(await read('run_1'), bad);
    assert.equal(asked.length, 1);
    await clock.advance(1);
    void read('run_1');
    assert.equal(asked.length, 2);
  });

  it('T-55: fetches at most eight charts at a time, and queues the others', async () => {
    const { read, asked } = openStore();
    const reads = Array.from({ length: 50 }, (_, at) => read(`run_${at}`));
    for (let at = 0; at < 50; at += 1) {
      assert.ok(asked.length - at <= 8);
      // A failed fetch also lets the next one start.
      asked[at]?.(at % 2 === 0 ? good() : bad);
      await reads[at];
      await settled();
    }
    assert.equal((await Promise.all(reads)).filter(({ ok }) => ok).length, 25);
  });

  it('T-55: makes readers wait at most ten seconds, and lets them try again afterwards', async () => {
    const { read, asked, clock } = openStore();
    const reads = Array.from({ length: 9 }, (_, at) => read(`run_${at}`));
    await clock.advance(10_000);
    assert.deepEqual(await reads[8], { ok: false, code: 'upstream_unavailable' });
    assert.equal(clock.pending(), 0);
    for (const answer of asked) answer(good());
    await Promise.all(reads);
    void read('run_8');
    await settled();
    assert.equal(asked.length, 9);
  });

  it('T-55: answers all waiting readers without fetching a chart twice while the cache fills', async () => {
    const { read, asked, clock } = openStore();
    const reads = Array.from({ length: 50 }, (_, at) => read(`run_${at}`));
    for (let at = 0; at < 9; at += 1) {
      asked[at]?.(good(4 * 1024 * 1024));
      await settled();
    }
    const again = read('run_9');
    asked[9]?.(bad);
    assert.equal(await again, bad);
    await clock.advance(10_000);
    for (const answer of asked) answer(bad);
    assert.equal((await Promise.allSettled(reads)).filter(({ status }) => status === 'rejected').length, 0);
    assert.equal(asked.length, 18);
  });

  it('T-55: lets at most two hundred fetches wait', async () => {
    const { read } = openStore();
    const reads = Array.from({ length: 209 }, (_, at) => read(`run_${at}`));
    assert.deepEqual(await reads[208], { ok: false, code: 'upstream_unavailable' });
  });

  it('T-55: keeps at most a thousand charts, and at most 32 MiB', async () => {
    for (const { count, bytes } of [
      { count: 1_001, bytes: 8 },
      { count: 33, bytes: 1024 * 1024 },
    ]) {
      const { read, asked } = openStore();
      for (let at = 0; at < count; at += 1) {
        const outcome = read(`run_${at}`);
        asked[at]?.(good(bytes));
        await outcome;
      }
      void read('run_0');
      assert.equal(asked.length, count + 1);
    }
  });
});
