import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Pulse } from '../data/pulse.ts';
import { failureOf, type Failure, type Success } from '../data/result.ts';
import {
  IDLE,
  isErrorVisible,
  MAX_FAST_RETRIES,
  requestStarted,
  type ResourceState,
  responseReceived,
  retryDelayMs,
} from './resource-state.ts';

const data: Pulse = {
  jobRunId: 'r',
  sourceId: 's',
  sourceName: 'n',
  status: 'SUCCESS',
  completedAt: null,
  imageUrl: null,
  aiSummaryShort: null,
  aiSummaryLong: null,
};
const fresh: Success = { ok: true, data, stale: false };
const earlier: Success = { ...fresh, stale: true };
const down: Failure = failureOf('upstream_unavailable');

const started = requestStarted(IDLE, false);
const afterFailures = (count: number): ResourceState =>
  Array.from({ length: count }).reduce<ResourceState>((state) => responseReceived(state, down), started);

describe('requestStarted()', () => {
  it('returns the "loading" state if there is nothing to show', () => assert.equal(started.status, 'loading'));
  it('keeps the visible data', () =>
    assert.equal(requestStarted(responseReceived(started, fresh), false).status, 'ready'));
});

describe('responseReceived()', () => {
  it('is in the "ready" state if the data is fresh', () =>
    assert.equal(responseReceived(started, fresh).status, 'ready'));
  it('is in the "stale" state if the data is stale', () =>
    assert.equal(responseReceived(started, earlier).status, 'stale'));

  it('returns the "empty" state and keeps the known source if there is no pulse', () => {
    const source = { status: 'BROKEN', name: 'Sales' };
    const state = responseReceived(started, { ...failureOf('pulse_not_found'), source });
    assert.deepEqual([state.status, state.source], ['empty', source]);
  });

  it('keeps the known source if a temporary failure doesn’t include one', () => {
    const source = { status: 'ACTIVE', name: 'Sales' };
    const state = responseReceived(responseReceived(started, { ...fresh, source }), down);
    assert.equal(state.source, source);
  });

  it('stays in the "loading" state after the first failure and shows the second failure', () => {
    assert.deepEqual(
      [1, 2, 3, 4].map((count) => afterFailures(count).status),
      ['loading', 'error', 'error', 'error'],
    );
  });

  it('shows a failure immediately if a retry can’t help', () =>
    assert.equal(responseReceived(started, failureOf('source_unknown')).status, 'error'));
  it('shows a manual request’s failure immediately', () =>
    assert.equal(responseReceived(requestStarted(IDLE, true), down).status, 'error'));
  it('shows a failure immediately if the next attempt is far off', () =>
    assert.equal(responseReceived(started, { ...down, retryAfterMs: 60_000 }).status, 'error'));

  for (const failure of [
    down,
    failureOf('signed_out', 401),
    failureOf('invalid_answer', 200),
    failureOf('network', 0),
  ]) {
    it(`keeps the last good data, marked as stale, after the failure ${failure.code}`, () => {
      const state = responseReceived(responseReceived(started, fresh), failure);
      assert.deepEqual([state.status, state.data], ['stale', data]);
    });
  }

  it('drops data that can no longer be shown, including the source’s name', () => {
    const shown = responseReceived(started, { ...fresh, source: { status: 'ACTIVE', name: 'Sales' } });
    const { status, data: kept, source } = responseReceived(shown, failureOf('token_forbidden'));
    assert.deepEqual([status, kept, source], ['error', undefined, undefined]);
  });

  it('shows a timeout immediately', () =>
    assert.equal(responseReceived(started, failureOf('timeout', 0)).status, 'error'));

  it('resets the attempt count once there is fresh data', () =>
    assert.equal(responseReceived(afterFailures(2), fresh).attempts, 0));
});

describe('isErrorVisible()', () => {
  it('is true for an error and during a manual request', () => {
    const error = afterFailures(4);
    assert.deepEqual([isErrorVisible(error), isErrorVisible(requestStarted(error, true))], [true, true]);
  });
  it('is false during the first automatic retry', () => assert.equal(isErrorVisible(afterFailures(1)), false));
});

describe('retryDelayMs()', () => {
  it('is a few seconds at first, then half a minute, then up to five minutes', () => {
    assert.deepEqual(
      [1, 2, 3, 4, 5, 6, 7, 8, 20].map((count) => retryDelayMs(afterFailures(count), 0.5)),
      [2_000, 3_500, 6_500, 30_000, 60_000, 120_000, 240_000, 300_000, 300_000],
    );
  });

  it('is at least as long as Retry-After, and only slightly longer', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), fc.double({ min: 0, max: 1, noNaN: true }), (seconds, jitter) => {
        const failure = { ...down, retryAfterMs: seconds * 1_000 };
        const delayMs = retryDelayMs(responseReceived(started, failure), jitter) ?? 0;
        assert.ok(delayMs >= seconds * 1_000 && delayMs <= seconds * 1_000 + 1_000);
      }),
    );
  });

  it('is half a minute at first for stale data and grows with each attempt', () => {
    const delays = [1, 2, 3, 4, 5, 9].map((attempts) => retryDelayMs({ status: 'stale', attempts }));
    assert.deepEqual(delays, [30_000, 60_000, 120_000, 240_000, 300_000, 300_000]);
  });

  it('is undefined in the ready, empty, rejected, and signed-out states', () => {
    for (const result of [
      fresh,
      failureOf('pulse_not_found'),
      failureOf('token_forbidden'),
      failureOf('signed_out', 401),
    ]) {
      assert.equal(retryDelayMs(responseReceived(started, result)), undefined);
    }
  });

  it('is always finite while a retry can help, regardless of the failure', () => {
    const failures = fc.array(fc.constantFrom(down, failureOf('internal'), failureOf('invalid_answer', 200)), {
      minLength: MAX_FAST_RETRIES + 1,
      maxLength: 20,
    });
    fc.assert(
      fc.property(failures, (results) => {
        const state = results.reduce<ResourceState>((before, result) => responseReceived(before, result), started);
        const delayMs = retryDelayMs(state) ?? NaN;
        assert.ok(delayMs >= 30_000 && delayMs <= 300_000);
      }),
    );
  });
});
