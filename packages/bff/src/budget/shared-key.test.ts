import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { maxInAnyWindow } from '../testing/arrivals.ts';
import { runOnOneKey, type SharedKeyOptions } from '../testing/shared-key-run.ts';

const WINDOW_MS = 60_000;
const MINUTES = 8;

/** Time after which all instances have noticed each other's calls in the headers, in ms. */
const SETTLED_MS = 3 * WINDOW_MS;

/** Two to four instances with the default settings, which start within two minutes. */
const run = (counting: SharedKeyOptions['counting']): fc.Arbitrary<SharedKeyOptions> =>
  fc.record({
    limit: fc.constant(60),
    reserve: fc.constant(15),
    windowMs: fc.constant(WINDOW_MS),
    counting: fc.constant(counting),
    hasHeaders: fc.constant(true),
    startsMs: fc.array(fc.integer({ min: 0, max: 120_000 }), { minLength: 2, maxLength: 4 }),
    tripsMs: fc.array(fc.integer({ min: 5, max: 800 }), { minLength: 1, maxLength: 20 }),
    forMs: fc.constant(MINUTES * WINDOW_MS),
  });

function callsPerMinute(arrivals: readonly number[]): number {
  const settled = arrivals.filter((at) => at >= SETTLED_MS);
  return settled.length / (MINUTES - SETTLED_MS / WINDOW_MS);
}

function maxInFixedWindow(arrivals: readonly number[]): number {
  const windows = Map.groupBy(arrivals, (at) => Math.floor(at / WINDOW_MS));
  return Math.max(...[...windows.values()].map(({ length }) => length));
}

describe('LocalCallBudgets of two to four instances with one key', () => {
  it('share 60 calls a minute by reading the headers, and use at least 48', async () => {
    await fc.assert(
      fc.asyncProperty(run('sliding'), async (options) => {
        const arrivals = await runOnOneKey(options);
        const [max, mean] = [maxInAnyWindow(arrivals, WINDOW_MS), callsPerMinute(arrivals)];
        assert.ok(max <= 60 && mean >= 48, `${max} in a minute, ${mean} on average`);
      }),
      { numRuns: 10, endOnFailure: true },
    );
  });

  it('exceed the limit by at most a few calls if it is counted in fixed windows', async () => {
    await fc.assert(
      fc.asyncProperty(run('fixed'), async (options) => {
        const arrivals = await runOnOneKey(options);
        const [max, mean] = [maxInFixedWindow(arrivals), callsPerMinute(arrivals)];
        assert.ok(max <= 66 && mean >= 48, `${max} in a window, ${mean} on average`);
      }),
      { numRuns: 10, endOnFailure: true },
    );
  });
});
