import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { OnTimeRatio } from './on-time-ratio.ts';

/** An upstream that answered `times` times, each after `tookMs`. */
function answered(onTimeRatio: OnTimeRatio, tookMs: number, times: number): OnTimeRatio {
  for (let answer = 0; answer < times; answer += 1) onTimeRatio.record(tookMs);
  return onTimeRatio;
}

describe('OnTimeRatio', () => {
  it('trusts an upstream it has not seen', () => {
    assert.equal(new OnTimeRatio(500).share, 1);
  });

  it('loses trust in one that answers late or never, and gains it again', () => {
    for (const tookMs of [501, Infinity]) {
      const onTimeRatio = answered(new OnTimeRatio(500), tookMs, 60);
      assert.ok(onTimeRatio.share < 0.05);
      assert.ok(answered(onTimeRatio, 500, 60).share > 0.95);
    }
  });
});
