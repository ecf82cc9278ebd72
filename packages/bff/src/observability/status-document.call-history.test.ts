import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createVirtualClock } from '../testing/virtual-clock.ts';
import { CallHistory } from './status-document.ts';

describe('CallHistory', () => {
  it('reads the calls at the start and every 15 seconds', async () => {
    const clock = createVirtualClock();
    let spent = 0;
    const history = new CallHistory(clock, () => spent);
    spent = 12;
    await clock.advance(15_000);
    assert.deepEqual(history.points(), [
      { at: '2026-05-08T09:00:00.000Z', spent: 0 },
      { at: '2026-05-08T09:00:15.000Z', spent: 12 },
    ]);
    history.close();
  });

  it('holds the last 30 minutes and no more', async () => {
    const clock = createVirtualClock();
    let reads = 0;
    const history = new CallHistory(clock, () => (reads += 1));
    await clock.advance(3_600_000);
    const points = history.points();
    assert.equal(points.length, 121);
    assert.equal(points[0]?.at, '2026-05-08T09:30:00.000Z');
    assert.equal(points.at(-1)?.at, '2026-05-08T10:00:00.000Z');
    history.close();
  });

  it('goes on after a reading that failed', async () => {
    const clock = createVirtualClock();
    let fails = false;
    const history = new CallHistory(clock, () => {
      if (fails) throw new Error('no figures');
      return 1;
    });
    fails = true;
    await assert.rejects(() => clock.advance(15_000), /no figures/);
    fails = false;
    await clock.advance(15_000);
    assert.equal(history.points().length, 2);
    history.close();
  });

  it('leaves no timer when closed', () => {
    const clock = createVirtualClock();
    new CallHistory(clock, () => 0).close();
    assert.equal(clock.pending(), 0);
  });
});
