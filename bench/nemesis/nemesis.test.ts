import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { describeWithRedis } from '../../packages/bff/src/testing/instances.ts';
import { judge } from './judge.ts';
import { liveThrough } from './under-schedule.ts';

/** Short, because every run of the tests includes it. `npm run bench -- nemesis` runs hundreds of schedules. */
const SPAN = { calmBeforeMs: 9_000, chaosMs: 8_000, calmAfterMs: 9_000 };

/** The same in every run, so a failure is caused by a change. Three instances on one Redis, and one without Redis. */
const SEEDS = [27, 48];

describeWithRedis('instances under random failures', () => {
  describe('as real processes', { concurrency: SEEDS.length }, () => {
    for (const seed of SEEDS)
      it(`keep their promises, seed ${seed}`, async () => {
        const { broken, degradations } = judge(await liveThrough(seed, 3, SPAN));
        // To count the calls of a calm period, the window must be longer than a pause of a busy machine.
        const { I7: _, ...promises } = broken;
        assert.deepEqual(promises, {}, `seed ${seed}: ${degradations.join('\n')}`);
      });
  });
});
