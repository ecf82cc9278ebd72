import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ClientRequestCounter } from './client-rate.ts';

const NOW = 1_700_000_000_000;

describe('ClientRequestCounter', () => {
  it('keeps the count of an active client, regardless of how many other clients there are', () => {
    const counter = new ClientRequestCounter();
    for (let other = 0; other < 150_000; other += 1) {
      counter.count(`other-${other}`, 0);
      if (other % 50_000 === 0) counter.count('busy', 0);
    }
    assert.equal(counter.count('busy', 0).requests, 4);
  });

  it('starts over when the window ends, and when the clock is set back', () => {
    const counter = new ClientRequestCounter();
    counter.count('a', NOW);
    assert.equal(counter.count('a', NOW + 59_999).requests, 2);
    assert.equal(counter.count('a', NOW + 60_000).requests, 1);
    assert.equal(counter.count('a', NOW - 3_600_000).requests, 1);
  });
});
