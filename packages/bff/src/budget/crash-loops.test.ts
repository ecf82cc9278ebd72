import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { maxInAnyWindow } from '../testing/arrivals.ts';
import { type CrashRunOptions, runThroughCrashes } from '../testing/crash-run.ts';

const WINDOW_MS = 60_000;

/** Process lifetimes, from an immediate crash to several minutes. */
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
  forMs: 300_000,
};

describe('LocalCallBudget when processes crash', () => {
  it('never exceeds the limit in any window, regardless of when the process is killed', async () => {
    await fc.assert(
      fc.asyncProperty(run, async (options) => {
        const max = maxInAnyWindow(await runThroughCrashes(options), WINDOW_MS);
        assert.ok(max <= options.limit, `${max} of ${options.limit}`);
      }),
      { numRuns: 60 },
    );
  });

  for (const lifeMs of [1_000, 4_000, 10_000, 20_000])
    it(`stays within the limit if each process is killed after ${lifeMs} ms, with and without headers`, async () => {
      for (const hasHeaders of [true, false]) {
        const arrivals = await runThroughCrashes({ ...undisturbed, hasHeaders, livesMs: [lifeMs] });
        const max = maxInAnyWindow(arrivals, WINDOW_MS);
        assert.ok(max <= 60, `${max} with ${hasHeaders ? '' : 'no '}headers`);
      }
    });

  it('stays within the limit in a crash loop after minutes of normal operation', async () => {
    for (const [limit, reserve] of [
      [60, 15],
      [60, 0],
      [20, 5],
      [200, 15],
      [6, 1],
    ] as const)
      for (const hasHeaders of [true, false])
        for (const livesMs of [[180_000], [180_000, 4_000, 4_000, 4_000], [180_000, 40_000, 10_000]]) {
          const options = { ...undisturbed, limit, reserve, hasHeaders, livesMs };
          const max = maxInAnyWindow(await runThroughCrashes({ ...options, forMs: 600_000 }), WINDOW_MS);
          assert.ok(
            max <= limit,
            `${max} of ${limit} - ${reserve}, ${hasHeaders ? '' : 'no '}headers, ${livesMs.join()}`,
          );
        }
  });

  for (const counting of ['sliding', 'fixed'] as const)
    for (const [limit, reserve] of [
      [60, 15],
      [60, 0],
      [20, 5],
      [200, 15],
    ] as const)
      it(`makes at least 90% of its calls when nothing crashes: limit ${limit}, reserve ${reserve}, ${counting} window`, async () => {
        const arrivals = await runThroughCrashes({ ...undisturbed, limit, reserve, counting });
        const share = arrivals.filter((at) => at >= WINDOW_MS).length / 4 / (limit - reserve);
        assert.ok(share >= 0.9, `${share}`);
        assert.ok(maxInAnyWindow(arrivals, WINDOW_MS) <= limit - reserve);
      });
});
