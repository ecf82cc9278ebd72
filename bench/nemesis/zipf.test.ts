import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { randomFrom } from '../simulator/random.ts';
import { zipfPicker } from './zipf.ts';

describe('zipfPicker()', () => {
  it('picks the first about twice as often as the second, and every item at times', () => {
    const pick = zipfPicker(['a', 'b', 'c'], 1, randomFrom(7));
    const counts = new Map<string, number>();
    for (let turn = 0; turn < 11_000; turn += 1) {
      const item = pick();
      counts.set(item, (counts.get(item) ?? 0) + 1);
    }
    for (const [item, expected] of Object.entries({ a: 6_000, b: 3_000, c: 2_000 })) {
      const got = counts.get(item) ?? 0;
      assert.ok(Math.abs(got - expected) < 300, `${item}: ${got} of about ${expected}`);
    }
  });
});
