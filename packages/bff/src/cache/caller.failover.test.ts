import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CallLedger, CallVerdict } from '../budget/call-ledger.ts';
import { openCacheStory } from '../testing/cache-story.ts';
import { createFakeUpstream } from '../testing/fake-upstream.ts';
import { createSlidingLedger } from '../testing/sliding-ledger.ts';
import { createVirtualClock } from '../testing/virtual-clock.ts';
import type { HostName, UpstreamFailure } from '../upstream/port.ts';
import { Caller } from './caller.ts';
import { HostChoice } from './host-choice.ts';
import { KeyHealth } from './key-health.ts';

const NO_PERMIT: CallVerdict = { kind: 'refused', reason: 'budget', retryInMs: 40_000 };

/** A caller with two hosts whose first call comes to `failure`, and whose second permit to `second`. */
async function askTwice(failure: UpstreamFailure, second: CallVerdict) {
  const clock = createVirtualClock();
  const calls: HostName[] = [];
  let permits = 0;
  const ledger: CallLedger = {
    async acquire({ subject }) {
      permits += 1;
      const grant = { id: permits, subject, leaveBefore: clock.now() + 2_000, fence: permits };
      return permits === 1 ? { kind: 'go', grant } : second;
    },
    settle() {},
    status: () => ({ ...EMPTY_BUDGET }),
  };
  const caller = new Caller({
    ledger,
    clock,
    upstream: createFakeUpstream(clock, []),
    hosts: new HostChoice({ hasAlt: true, callMs: 5_000, random: () => 0.5 }),
    key: new KeyHealth(),
    upstreamTimeoutMs: 5_000,
    observer: {},
    onHostBack: () => {},
    signal: new AbortController().signal,
  });
  const result = await caller.ask({
    question: { kind: 'pulse', sourceId: 'src_1' },
    subject: 'src_1',
    payer: 'known',
    readerWaits: () => false,
    demand: () => 1,
    call: async (host: HostName) => {
      calls.push(host);
      return { host, rate: undefined, outcome: { ok: false, failure } };
    },
    onLeave: () => {},
  });
  return { result, calls, permits };
}

const EMPTY_BUDGET = {
  limit: 60,
  reserve: 15,
  windowMs: 60_000,
  used: 45,
  left: 0,
  leftAtMost: 15,
  capacity: 45,
  others: 0,
  pausedForMs: 0,
  starting: false,
};

describe('Caller', () => {
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
        const { result, calls, permits } = await askTwice(failure, NO_PERMIT);
        assert.deepEqual([calls, permits], [['main'], 2]);
        assert.ok(!result.ok);
        assert.deepEqual([result.code, result.wasAsked, result.status], [code, true, status]);
      });

    it('waits for the instance that is asking the same by now', async () => {
      const { result } = await askTwice({ kind: 'unreachable' }, { kind: 'wait', retryInMs: 100 });
      assert.equal(!result.ok && result.isElsewhere, true);
    });
  });

  describe('when the key was replaced during the call and no permit is left for the new one', () => {
    it('reports a call that was made, and blames neither key', async () => {
      const refused = { kind: 'key-refused', status: 401, otherKeyAtHand: true } as const;
      const { result } = await askTwice(refused, NO_PERMIT);
      assert.ok(!result.ok);
      assert.deepEqual([result.code, result.wasAsked], ['upstream_rate_limited', true]);
    });
  });
});

describe('openPulseCache()', () => {
  describe('when the first host fails and no permit is left for the second', () => {
    it('backs off for seconds, tells readers of the outage, and asks the second first when it tries again', async () => {
      const clock = createVirtualClock();
      const ledger = createSlidingLedger(clock, { calls: 2, windowMs: 60_000 });
      await using story = await openCacheStory({ clock, ledger, hasAltHost: true, sourceIds: ['src_1'] });
      story.upstream.failure = ({ host }) => (host === 'main' ? { kind: 'server-error', status: 500 } : undefined);
      const reading = await story.read('src_1');
      assert.equal(!reading.ok && reading.code, 'upstream_unavailable');
      assert.ok(!reading.ok && (reading.retryAfterSeconds ?? 0) <= 10);
      assert.equal(story.cache.status().sources[0]?.lastFailure?.code, 'upstream_unavailable');
      await story.readers(['src_1'], 120_000);
      assert.deepEqual(
        story.upstream.calls
          .filter(({ about }) => about === 'src_1')
          .map(({ host }) => host)
          .slice(0, 2),
        ['main', 'alt'],
      );
      assert.equal((await story.read('src_1')).ok, true);
    });
  });
});
