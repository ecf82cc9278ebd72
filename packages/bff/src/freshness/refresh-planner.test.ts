import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRefreshPlanner } from './refresh-planner.ts';

const options = { callsPerWindow: 45, windowMs: 60_000, minAgeMs: 15_000 };
const tokens = { left: 45, capacity: 45 };

describe('createRefreshPlanner()', () => {
  describe('with calls to spare', () => {
    it('refreshes a viewed source as soon as it is older than the least age', () => {
      const planner = createRefreshPlanner(options);
      planner.sawView('src_1', 0);
      planner.asked('src_1', 0);
      planner.refreshed('src_1', 300, { changed: true });
      assert.equal(planner.next(14_999, tokens), undefined);
      assert.equal(planner.next(15_000, tokens)?.id, 'src_1');
    });
  });
});
