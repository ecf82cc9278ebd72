import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CallBudget, AcquireResult } from '../budget/call-budget.ts';
import { openCacheHarness } from '../testing/cache-harness.ts';
import { createSlidingWindowBudget } from '../testing/sliding-window-budget.ts';
import { createVirtualClock } from '../testing/virtual-clock.ts';
import type { HostName, UpstreamFailure } from './port.ts';
import { UpstreamFetcher } from './upstream-fetcher.ts';

const NO_GRANT: AcquireResult = { kind: 'denied', reason: 'budget', retryInMs: 40_000 };

/** A caller with two hosts whose first call comes to `failure`, and whose second permit to `second`. */
async function fetchTwice(failure: UpstreamFailure, second: AcquireResult) {
  const clock = createVirtualClock();
  const calls: HostName[] = [];
  let permits = 0;
  const callBudget: CallBudget = {
    async acquire({ subject }) {
      permits += 1;
      const permit = { id: permits, subject, expiresAt: clock.now() + 2_000, fencingToken: permits };
      return permits === 1 ? { kind: 'granted', permit } : second;
    },
    settle() {},
    status: () => ({ ...EMPTY_BUDGET }),
  };
  const latestPulse = async (host: HostName) => {
    calls.push(host);
    return { host, rate: undefined, outcome: { ok: false, failure } } as const;
  };
  const upstreamFetcher = new UpstreamFetcher({
    upstream: { latestPulse, listSources: () => assert.fail('not asked here') },
    callBudget,
    hasAltHost: true,
    upstreamTimeoutMs: 5_000,
    clock,
    random: () => 0.5,
  });
  const result = await upstreamFetcher.fetchPulse({
    subject: 'src_1',
    isUserFacing: () => false,
    demand: () => 1,
    onSent: () => {},
  });
  return { result, calls, permits };
}

const EMPTY_BUDGET = {
  limit: 60,
  reserve: 15,
  windowMs: 60_000,
  used: 45,
  left: 0,
  maxLeft: 15,
  capacity: 45,
  others: 0,
  pausedForMs: 0,
  starting: false,
};

describe('UpstreamFetcher', () => {
  describe('when the first host fails and no permit is left for the second', () => {
    const failures: [UpstreamFailure, code: string, status: number | undefined][] = [
      [{ kind: 'unreachable' }, 'upstream_unavailable', undefined],
      [{ kind: 'timed-out' }, 'upstream_unavailable', undefined],
      [{ kind: 'server-error', status: 503 }, 'upstream_unavailable', 503],
      [{ kind: 'intermediary-error', status: 404 }, 'upstream_unavailable', 404],
      [{ kind: 'invalid', reason: 'schema' }, 'upstream_invalid', undefined],
    ];
    for (const [failure, code, status] of failures)
      it(`reports the failure of the first: ${failure.kind}`, async () => {
        const { result, calls, permits } = await fetchTwice(failure, NO_GRANT);
        assert.deepEqual([calls, permits], [['main'], 2]);
        assert.ok(!result.ok);
        assert.deepEqual([result.code, result.attempted, result.status], [code, true, status]);
      });

    it('waits for the instance that is asking the same by now', async () => {
      const { result } = await fetchTwice({ kind: 'unreachable' }, { kind: 'in-flight-elsewhere', retryInMs: 100 });
      assert.equal(!result.ok && result.inFlightElsewhere, true);
    });
  });

  describe('when the key was replaced during the call and no permit is left for the new one', () => {
    it('reports a call that was made, and blames neither key', async () => {
      const refused = { kind: 'key-refused', status: 401, otherKeyAtHand: true } as const;
      const { result } = await fetchTwice(refused, NO_GRANT);
      assert.ok(!result.ok);
      assert.deepEqual([result.code, result.attempted], ['upstream_rate_limited', true]);
    });
  });
});

describe('OpenPulseCache', () => {
  describe('when the first host fails and no permit is left for the second', () => {
    it('backs off for seconds, tells readers of the outage, and asks the second first when it tries again', async () => {
      const clock = createVirtualClock();
      const callBudget = createSlidingWindowBudget(clock, { calls: 2, windowMs: 60_000 });
      await using harness = await openCacheHarness({ clock, callBudget, hasAltHost: true, sourceIds: ['src_1'] });
      harness.upstream.failure = ({ host }) => (host === 'main' ? { kind: 'server-error', status: 500 } : undefined);
      const lookup = await harness.read('src_1');
      assert.equal(!lookup.ok && lookup.code, 'upstream_unavailable');
      assert.ok(!lookup.ok && (lookup.retryAfterSeconds ?? 0) <= 10);
      assert.equal(harness.cache.status().sources[0]?.lastFailure?.code, 'upstream_unavailable');
      await harness.readers(['src_1'], 120_000);
      assert.deepEqual(
        harness.upstream.calls
          .filter(({ about }) => about === 'src_1')
          .map(({ host }) => host)
          .slice(0, 2),
        ['main', 'alt'],
      );
      assert.equal((await harness.read('src_1')).ok, true);
    });
  });
});
