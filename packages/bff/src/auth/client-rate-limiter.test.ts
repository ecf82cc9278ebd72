import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ClientRateLimiter } from './client-rate-limiter.ts';

const NOW = 1_700_000_000_000;

describe('ClientRateLimiter', () => {
  it('lets the limit through in a minute, and no request more', () => {
    const rate = new ClientRateLimiter(2);
    const windows = [0, 1, 2].map((afterMs) => rate.count('198.51.100.7', NOW + afterMs));
    assert.deepEqual(
      windows.map(({ remaining, isExceeded }) => [remaining, isExceeded]),
      [
        [1, false],
        [0, false],
        [0, true],
      ],
    );
  });

  it('begins anew when the window resets', () => {
    const rate = new ClientRateLimiter(1);
    rate.count('a', NOW);
    assert.equal(rate.count('a', NOW + 59_999).isExceeded, true);
    assert.equal(rate.count('a', NOW + 60_000).isExceeded, false);
  });

  it('counts each client apart', () => {
    const rate = new ClientRateLimiter(1);
    rate.count('a', NOW);
    assert.equal(rate.count('b', NOW).isExceeded, false);
  });

  it('locks no one out when the clock is set back', () => {
    const rate = new ClientRateLimiter(1);
    rate.count('a', NOW);
    assert.equal(rate.count('a', NOW - 3_600_000).isExceeded, false);
  });

  it('refuses a limit that is none', () => {
    for (const limit of [0, -1, 1.5, NaN]) assert.throws(() => new ClientRateLimiter(limit), RangeError);
  });
});
