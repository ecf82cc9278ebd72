import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createVirtualClock, settled } from '../testing/virtual-clock.ts';
import { ImageCache } from './image-cache.ts';
import type { ImageOutcome, ImageReader } from './image-proxy.ts';

const readerWho = ({ hasLeft }: { hasLeft: boolean }) =>
  ({ request: { socket: { destroyed: hasLeft } }, response: { closed: hasLeft } }) as unknown as ImageReader;

const READER = readerWho({ hasLeft: false });

const CHART = new URL('https://cdn.test/a.png');

/** A store whose host of images answers when a test says so. */
function openStore() {
  const asked: { readonly answer: (outcome: ImageOutcome) => void }[] = [];
  const clock = createVirtualClock();
  const store = new ImageCache({ fetchImage: () => new Promise((answer) => asked.push({ answer })), clock });
  return { store, asked, clock };
}

const good = (bytes = 8): ImageOutcome => ({ ok: true, bytes: Buffer.alloc(bytes) });
const bad: ImageOutcome = { ok: false, code: 'upstream_invalid' };

describe('ImageCache', () => {
  it('T-55: fetches a chart once for a thousand who want it together, and for all who come later', async () => {
    const { store, asked } = openStore();
    const waiting = Array.from({ length: 1_000 }, () => store.read('run_1', CHART, READER));
    assert.equal(asked.length, 1);
    const chart = good();
    asked[0]?.answer(chart);
    for (const outcome of await Promise.all(waiting)) assert.equal(outcome, chart);
    assert.deepEqual(await store.read('run_1', CHART, READER), chart);
    assert.equal(asked.length, 1);
  });

  it('T-55: never gives the chart of one run, or of one address, for that of another', async () => {
    const { store, asked } = openStore();
    for (const [run, address] of [
      ['run_1', CHART],
      ['run_2', CHART],
      ['run_1', new URL('https://cdn.test/b.png')],
      ['run_1 https://cdn.test/a.png', CHART],
    ] as const)
      void store.read(run, address, READER);
    assert.equal(asked.length, 4);
  });

  it('fetches nothing for a reader who has left', async () => {
    const { store, asked } = openStore();
    assert.equal((await store.read('run_1', CHART, readerWho({ hasLeft: true }))).ok, false);
    assert.equal(asked.length, 0);
  });

  it('T-55: leaves a host alone for five seconds with a chart that it did not give', async () => {
    const { store, asked, clock } = openStore();
    const first = store.read('run_1', CHART, READER);
    asked[0]?.answer(bad);
    assert.deepEqual(await first, bad);
    await clock.advance(5_000);
    assert.deepEqual(await store.read('run_1', CHART, READER), bad);
    assert.equal(asked.length, 1);
    await clock.advance(1);
    void store.read('run_1', CHART, READER);
    assert.equal(asked.length, 2);
  });

  it('T-55: fetches eight at once and no more; the others wait their turn', async () => {
    const { store, asked } = openStore();
    const reads = Array.from({ length: 50 }, (_, at) => store.read(`run_${at}`, CHART, READER));
    for (let at = 0; at < 50; at += 1) {
      assert.ok(asked.length - at <= 8);
      // One that fails gives its turn to the next, too.
      asked[at]?.answer(at % 2 === 0 ? good() : bad);
      await reads[at];
      await settled();
    }
    assert.equal((await Promise.all(reads)).filter(({ ok }) => ok).length, 25);
  });

  it('T-55: lets none wait longer than ten seconds, and has not failed for good where one did', async () => {
    const { store, asked, clock } = openStore();
    const reads = Array.from({ length: 9 }, (_, at) => store.read(`run_${at}`, CHART, READER));
    await clock.advance(10_000);
    assert.deepEqual(await reads[8], { ok: false, code: 'upstream_unavailable' });
    assert.equal(clock.pending(), 0);
    for (const { answer } of asked) answer(good());
    await Promise.all(reads);
    void store.read('run_8', CHART, READER);
    await settled();
    assert.equal(asked.length, 9);
  });

  it('T-55: answers all who wait, and fetches no chart again, while other charts fill the cache', async () => {
    const { store, asked, clock } = openStore();
    const read = (at: number) => store.read(`run_${at}`, CHART, READER);
    const reads = Array.from({ length: 50 }, (_, at) => read(at));
    for (let at = 0; at < 9; at += 1) {
      asked[at]?.answer(good(4 * 1024 * 1024));
      await settled();
    }
    const again = read(9);
    asked[9]?.answer(bad);
    assert.equal(await again, bad);
    await clock.advance(10_000);
    for (const { answer } of asked) answer(bad);
    assert.equal((await Promise.allSettled(reads)).filter(({ status }) => status === 'rejected').length, 0);
    assert.equal(asked.length, 18);
  });

  it('T-55: lets two hundred wait and no more', async () => {
    const { store } = openStore();
    const reads = Array.from({ length: 209 }, (_, at) => store.read(`run_${at}`, CHART, READER));
    assert.deepEqual(await reads[208], { ok: false, code: 'upstream_unavailable' });
  });

  it('T-55: keeps no more than a thousand charts, nor more than 32 MiB of them', async () => {
    for (const [count, bytes] of [
      [1_001, 8],
      [33, 1024 * 1024],
    ] as const) {
      const { store, asked } = openStore();
      for (let at = 0; at < count; at += 1) {
        const read = store.read(`run_${at}`, CHART, READER);
        asked[at]?.answer(good(bytes));
        await read;
      }
      void store.read('run_0', CHART, READER);
      assert.equal(asked.length, count + 1);
    }
  });
});
