import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { describeWithRedis } from '../../packages/bff/src/testing/instances.ts';
import { judge } from './judge.ts';
import { liveThrough } from './under-schedule.ts';

/**
 * The phases are short, because every run of the tests includes them. `npm run bench -- nemesis` runs hundreds of
 * schedules.
 */
const SPAN = { calmBeforeMs: 9_000, chaosMs: 8_000, calmAfterMs: 9_000 };

/**
 * The seeds are fixed, so that a failing test means that the code has changed. One seed has three instances on one
 * Redis, and the other seed has a single instance without Redis.
 */
const SEEDS = [27, 48];

describeWithRedis('instances under random failures', () => {
  describe('Instances in real processes', { concurrency: SEEDS.length }, () => {
    for (const seed of SEEDS)
      it(`keep their promises under the failures of seed ${seed}`, async () => {
        const { broken, degradations } = judge(await liveThrough(seed, 3, SPAN));
        // I7 isn't checked: in such short windows, a pause of a busy machine would cost too many calls.
        const { I7: _, ...promises } = broken;
        assert.deepEqual(promises, {}, `seed ${seed}: ${degradations.join('\n')}`);
      });
  });
});
