import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Promptness } from './promptness.ts';

/** An upstream that answered `times` times, each after `tookMs`. */
function answered(promptness: Promptness, tookMs: number, times: number): Promptness {
  for (let answer = 0; answer < times; answer += 1) promptness.answered(tookMs);
  return promptness;
}

describe('Promptness', () => {
  it('trusts an upstream it has not seen', () => {
    assert.equal(new Promptness(500).share, 1);
  });

  it('loses trust in one that answers late or never, and gains it again', () => {
    for (const tookMs of [501, Infinity]) {
      const promptness = answered(new Promptness(500), tookMs, 60);
      assert.ok(promptness.share < 0.05);
      assert.ok(answered(promptness, 500, 60).share > 0.95);
    }
  });
});
