import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sparklinePoints } from './sparkline.ts';

const now = Date.UTC(2026, 4, 8, 9, 30);
const at = (minutesAgo: number, spent: number) => ({ at: new Date(now - minutesAgo * 60_000).toISOString(), spent });

describe('sparklinePoints()', () => {
  it('covers the last 30 minutes on a scale from 0 to the usable limit', () =>
    assert.deepEqual(sparklinePoints([at(30, 0), at(15, 45), at(0, 0)], { usable: 45, now }), [
      [0, 95],
      [150, 1],
      [300, 95],
    ]));

  it('stays within the chart area even if more calls were made than the limit allows', () =>
    assert.deepEqual(sparklinePoints([at(0, 60)], { usable: 45, now }), [[300, 1]]));

  it('omits older values', () => assert.deepEqual(sparklinePoints([at(40, 3)], { usable: 45, now }), []));
});
