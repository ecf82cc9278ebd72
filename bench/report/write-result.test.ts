import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadFault } from './write-result.ts';

describe('loadFault()', () => {
  it('accepts a measurement if only the benchmark kept the machine busy', () => {
    assert.equal(loadFault([0.2, 3.9], 2), undefined);
    assert.equal(loadFault([2, 4], 2), undefined);
  });

  it('rejects a measurement if the machine was busy at the start', () => {
    assert.match(loadFault([13.1, 2], 2) ?? '', /13\.1 on 2 cores before/);
    assert.match(loadFault([2.1, 2], 2) ?? '', /2\.1 on 2 cores before/);
  });

  it('rejects a measurement if other programs ran at the same time', () => {
    assert.match(loadFault([0.2, 4.1], 2) ?? '', /4\.1 on 2 cores after/);
  });
});
