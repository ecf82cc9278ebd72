import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { scaledBy, variablesOf } from './scale.ts';

describe('scaledBy()', () => {
  it('leaves the defaults alone at scale 1', () => {
    const { freshMs, staleMs, timeoutMs, windowMs } = scaledBy(1);
    assert.deepEqual([freshMs, staleMs, timeoutMs, windowMs], [15_000, 86_400_000, 5_000, 60_000]);
  });

  it('divides every time by the scale', () => {
    const { freshMs, staleMs, timeoutMs, windowMs } = scaledBy(60);
    assert.deepEqual([freshMs, staleMs, timeoutMs, windowMs], [250, 1_440_000, 83, 1_000]);
  });

  it('never goes below what the BFF accepts', () => {
    const { freshMs, timeoutMs, windowMs } = scaledBy(1_000_000);
    assert.deepEqual([freshMs, timeoutMs, windowMs], [100, 50, 100]);
  });
});

describe('variablesOf()', () => {
  it('writes the times as the BFF reads them', () => {
    assert.deepEqual(variablesOf(scaledBy(60)), {
      PULSE_FRESH_MS: '250',
      PULSE_STALE_MS: '1440000',
      PULSE_UPSTREAM_TIMEOUT_MS: '83',
      PULSE_RATE_WINDOW_MS: '1000',
    });
  });
});
