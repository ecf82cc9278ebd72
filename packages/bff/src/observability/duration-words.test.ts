import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { durationWords } from './duration-words.ts';

describe('durationWords()', () => {
  for (const [ms, words] of [
    [0, '0 seconds'],
    [1_400, '1 second'],
    [59_000, '59 seconds'],
    [60_000, '1 minute'],
    [360_000, '6 minutes'],
    [3_600_000, '60 minutes'],
    [7_200_000, '2 hours'],
    [86_400_000, '24 hours'],
    [259_200_000, '3 days'],
  ] as const) {
    it(`says ${words} for ${ms} ms`, () => assert.equal(durationWords(ms), words));
  }
});
