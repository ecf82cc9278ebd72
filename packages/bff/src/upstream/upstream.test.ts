import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AcquireResult, CallBudget, CallResult } from '../budget/call-budget.ts';
import { BASES, createFakeUpstream, type FakeFailure } from '../testing/fake-upstream.ts';
import { createSlidingWindowBudget } from '../testing/sliding-window-budget.ts';
import { createVirtualClock, overTime } from '../testing/virtual-clock.ts';
import { notAttempted } from './failure.ts';
import { LIST_ID } from './subject.ts';
import { Upstream } from './upstream.ts';

const PERMIT_TTL_MS = 2_000;

interface Circumstances {
  /** The time between the grant and the arrival of the permit, during which the process was suspended. @default 0 */
  readonly grantedAfterMs?: number;
  /** The outcome of the first call. @default it is answered */
  readonly failure?: FakeFailure;
  /** The result of the second request for a permit. @default another permit */
  readonly second?: AcquireResult;
}

/** An upstream with two hosts, and a budget that grants every call. */
function openUpstream({ grantedAfterMs = 0, failure, second }: Circumstances = {}) {
  const clock = createVirtualClock();
  const settled: CallResult['fate'][] = [];
  const fake = createFakeUpstream(clock, ['src_1']);
  fake.failure = () => (fake.calls.length === 1 ? failure : undefined);
  let permits = 0;
  const callBudget: CallBudget = {
    async acquire(subject: string) {
      permits += 1;
      const permit = { id: permits, subject, expiresAt: clock.now() + PERMIT_TTL_MS, fencingToken: permits };
      await clock.advance(grantedAfterMs);
      return permits === 2 && second ? second : { kind: 'granted', permit };
    },
    settle: (_permit, { fate }) => void settled.push(fate),
    status: () => createSlidingWindowBudget(clock, { calls: 60, windowMs: 60_000 }).status(),
  };
  const settings = { baseUrl: BASES.main, altBaseUrl: BASES.alt, upstreamTimeoutMs: 5_000 };
  const upstream = new Upstream(settings, { key: fake.key, callBudget, clock, fetch: fake.fetch });
  const request = { subject: 'src_1', isAwaited: false, demand: 1, recordSent: () => {} };
  return {
    clock,
    upstream,
    fake,
    settled,
    fetch: () => overTime(clock, upstream.fetch(request)),
    calls: () => fake.calls.map(({ host }) => host),
  };
}

const NO_PERMIT: AcquireResult = { kind: 'denied', reason: 'budget', retryInMs: 40_000 };

describe('Upstream.fetch()', () => {
  it('retries immediately with a new key, even if calls for the source have failed before', async () => {
    const { clock, fake, fetch } = openUpstream();
    const answers: (FakeFailure | undefined)[] = [
      { kind: 'unreachable' },
      { kind: 'unreachable' },
      { kind: 'key-refused', status: 401, otherKeyAtHand: true },
      undefined,
    ];
    fake.failure = () => answers[fake.calls.length - 1];
    assert.equal((await fetch()).ok, false);
    await clock.advance(600_000);
    assert.equal((await fetch()).ok, true);
  });

  it('T-11: returns a permit unused if its call could count in another window', async () => {
    const { fetch, calls, settled } = openUpstream({ grantedAfterMs: PERMIT_TTL_MS + 1 });
    assert.equal((await fetch()).ok, false);
    assert.deepEqual([calls(), settled], [[], ['unsent']]);
  });

  describe('when the first host fails and no permit is left for the second host', () => {
    const failures: [FakeFailure, code: string, status: number | undefined][] = [
      [{ kind: 'unreachable' }, 'upstream_unavailable', undefined],
      ['hangs', 'upstream_unavailable', undefined],
      [{ kind: 'server-error', status: 503 }, 'upstream_unavailable', 503],
      [{ kind: 'foreign', status: 404, body: 'Not found' }, 'upstream_unavailable', 404],
      [{ kind: 'invalid', reason: 'schema' }, 'upstream_invalid', undefined],
    ];
    for (const [failure, code, status] of failures)
      it(`reports the failure of the first host: ${JSON.stringify(failure)}`, async () => {
        const { fetch, calls } = openUpstream({ failure, second: NO_PERMIT });
        const result = await fetch();
        assert.ok(!result.ok);
        assert.deepEqual([calls(), result.code, result.attempted, result.status], [['main'], code, true, status]);
      });

    it('says that another instance is already making the call', async () => {
      const second: AcquireResult = { kind: 'in-flight-elsewhere', retryInMs: 100 };
      const result = await openUpstream({ failure: { kind: 'unreachable' }, second }).fetch();
      assert.equal(!result.ok && result.detail, 'elsewhere');
    });
  });

  it('doesn’t report a replaced key as rejected if no permit is left', async () => {
    const failure = { kind: 'key-refused', status: 401, otherKeyAtHand: true } as const;
    const result = await openUpstream({ failure, second: NO_PERMIT }).fetch();
    assert.ok(!result.ok);
    assert.deepEqual([result.code, result.attempted], ['upstream_rate_limited', true]);
  });

  describe('when it is closed', () => {
    it('considers an aborted call lost, not a failure of the host', async () => {
      const { fetch, calls, settled, upstream, fake } = openUpstream();
      fake.failure = () => (setImmediate(() => upstream.close()), 'hangs');
      const result = await fetch();
      assert.deepEqual([result.ok, !result.ok && result.attempted], [false, false]);
      assert.deepEqual([calls(), settled], [['main'], ['lost']]);
      assert.ok(upstream.hosts.status(0).every(({ state }) => state === 'closed'));
    });

    it('requests no more permits', async () => {
      const { fetch, calls, settled, upstream } = openUpstream();
      upstream.close();
      assert.equal((await fetch()).ok, false);
      assert.deepEqual([calls(), settled], [[], []]);
    });
  });
});

describe('Upstream.whyNoCall()', () => {
  it('reports a rejected key rather than an outage, and an outage rather than a source failure', () => {
    const { upstream, clock } = openUpstream();
    const now = clock.now();
    upstream.recordFailure('src_1', notAttempted('upstream_unavailable', 'upstream-error', 5_000));
    for (let failure = 0; failure < 3; failure += 1)
      for (const host of ['main', 'alt'] as const) upstream.hosts.recordFailure(host, now);
    assert.equal(upstream.whyNoCall('src_1')?.retryInMs, 7_500);
    upstream.apiKey.recordRefusal('src_1', 403, now);
    assert.equal(upstream.whyNoCall('src_1')?.code, 'upstream_auth');
    assert.equal(upstream.whyNoCall(LIST_ID)?.code, 'upstream_unavailable');
  });
});
