import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { freshSource, joinedRedis, wellState } from '../../testing/bff-state.ts';
import type { BffState } from './bff-state.ts';
import { stateGauges } from './state-gauges.ts';

const lastFailure = { code: 'upstream_unavailable', detail: 'upstream-error', retryInMs: 0, forMs: 300_000 };

const STATE: BffState = {
  ...wellState,
  sources: [freshSource, { ...freshSource, freshness: 'stale', lastFailure }],
  redis: { ...joinedRedis, state: 'lost', lostForMs: 2_000, losses: 3, evictionPolicy: 'volatile-lru' },
  outcomes: { total: 4, bad: { internal: 1 }, limited: 0 },
};

describe('stateGauges()', () => {
  for (const [name, value] of [
    ['ready', 1],
    ['sources', 2],
    ['sources_fresh', 1],
    ['sources_failing', 1],
    ['hosts_well', 1],
    ['readers_without_chart_ratio', 0.25],
    ['redis_joined', 0],
    ['redis_evicting', 1],
    ['redis_losses_total', 3],
    ['redis_lost_seconds', 2],
  ] as const)
    it(`contain the state: ${name} is ${value}`, () => assert.equal(stateGauges(STATE)[name]?.[1], value));

  it('omit the gauges of Redis if Redis isn’t used', () => {
    const names = Object.keys(stateGauges({ ...STATE, redis: null }));
    assert.deepEqual(
      names.filter((name) => name.startsWith('redis')),
      [],
    );
  });
});
