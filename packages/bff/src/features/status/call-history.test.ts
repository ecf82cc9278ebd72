import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createVirtualClock } from '../../testing/virtual-clock.ts';
import { CallHistory } from './call-history.ts';

describe('CallHistory', () => {
  it('samples the calls every 15 seconds, and keeps the samples of the last 30 minutes', async () => {
    const clock = createVirtualClock();
    const history = new CallHistory(clock, () => 7);
    await clock.advance(3_600_000);
    const times = history.points().map(({ at }) => at);
    assert.equal(times.length, 121);
    assert.deepEqual([times[0], times[1]], ['2026-05-08T09:30:00.000Z', '2026-05-08T09:30:15.000Z']);
    assert.deepEqual(history.points().at(-1), { at: '2026-05-08T10:00:00.000Z', spent: 7 });
    history.close();
    assert.equal(clock.pending(), 0);
  });
});
