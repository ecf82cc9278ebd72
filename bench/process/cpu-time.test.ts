import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ticksIn } from './cpu-time.ts';

const AFTER_NAME = 'S 1 42 42 0 -1 4194304 900 0 0 0 150 25 0 0 20 0 11 0 5000';

describe('ticksIn()', () => {
  it('adds user and system time', () => {
    assert.equal(ticksIn(`42 (node) ${AFTER_NAME}`), 175);
  });

  it('is not misled by the name of the program', () => {
    assert.equal(ticksIn(`42 (a) 9 9 (b) ${AFTER_NAME}`), 175);
  });
});
