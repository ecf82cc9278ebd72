import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { mostInAnyWindow } from '../testing/arrivals.ts';
import { type CrashRunOptions, runThroughCrashes } from '../testing/crash-run.ts';

const WINDOW_MS = 60_000;

/** Lives from a crash at once to a process that stays for minutes. */
const lives = fc.array(
  fc.oneof(
    fc.integer({ min: 50, max: 3_000 }),
    fc.integer({ min: 1_000, max: 15_000 }),
    fc.integer({ min: 15_000, max: 200_000 }),
  ),
  { minLength: 1, maxLength: 30 },
);
const trips = fc.array(fc.integer({ min: 5, max: 800 }), { minLength: 1, maxLength: 20 });

const run: fc.Arbitrary<CrashRunOptions> = fc.record({
  limit: fc.constantFrom(60, 60, 60, 20, 200),
  reserve: fc.constantFrom(0, 5, 15),
  windowMs: fc.constant(WINDOW_MS),
  livesMs: lives,
  bootMs: fc.integer({ min: 0, max: 600 }),
  tripsMs: trips,
  counting: fc.constantFrom('sliding' as const, 'fixed' as const),
  hasHeaders: fc.boolean(),
  hasMemory: fc.boolean(),
  forMs: fc.constant(240_000),
});

const undisturbed: CrashRunOptions = {
  limit: 60,
  reserve: 15,
  windowMs: WINDOW_MS,
  livesMs: [Infinity],
  bootMs: 300,
  tripsMs: [100, 400, 800],
  counting: 'sliding',
  hasHeaders: true,
  hasMemory: false,
  forMs: 300_000,
};

describe('the budget', () => {
  it('never lets a window hold more than the limit, whoever is killed and when', async () => {
    await fc.assert(
      fc.asyncProperty(run, async (options) => {
        const most = mostInAnyWindow(await runThroughCrashes(options), WINDOW_MS);
        assert.ok(most <= options.limit, `${most} of ${options.limit}`);
      }),
      { numRuns: 60 },
    );
  });

  it('holds over a crash every few seconds, with and without a memory', async () => {
    for (const hasMemory of [true, false])
      for (const lifeMs of [400, 1_000, 1_500, 2_000, 3_000, 5_000, 10_000]) {
        const arrivals = await runThroughCrashes({ ...undisturbed, hasMemory, livesMs: [lifeMs] });
        const most = mostInAnyWindow(arrivals, WINDOW_MS);
        assert.ok(most <= 60, `${most} with a life of ${lifeMs} ms`);
      }
  });

  it('leaves the reserve to others while nothing crashes', async () => {
    for (const hasMemory of [true, false])
      assert.ok(mostInAnyWindow(await runThroughCrashes({ ...undisturbed, hasMemory }), WINDOW_MS) <= 45);
  });

  it('is spent to nine tenths at the least, where there is demand', async () => {
    for (const hasMemory of [true, false])
      for (const counting of ['sliding', 'fixed'] as const)
        for (const [limit, reserve] of [
          [60, 15],
          [60, 0],
          [20, 5],
          [200, 15],
        ] as const) {
          const options = { ...undisturbed, limit, reserve, hasMemory, counting };
          const arrivals = await runThroughCrashes(options);
          const share = arrivals.filter((at) => at >= WINDOW_MS).length / 4 / (limit - reserve);
          assert.ok(share >= 0.9, `${share} of ${limit} - ${reserve}, ${JSON.stringify({ hasMemory, counting })}`);
        }
  });

  it('serves the list and a page of cards at a first start: at once with a memory, eight within two seconds without', async () => {
    for (const [hasMemory, withinMs, calls] of [
      [true, 1_000, 12],
      [false, 2_000, 9],
    ] as const) {
      const arrivals = await runThroughCrashes({ ...undisturbed, hasMemory, forMs: 2_500 });
      assert.ok(arrivals.filter((at) => at <= withinMs).length >= calls, `${arrivals.length}`);
    }
  });
});
