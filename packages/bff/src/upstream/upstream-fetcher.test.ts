import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CallBudget, CallResult } from '../budget/call-budget.ts';
import type { HostName, SourceRows, UpstreamReply } from './port.ts';
import { createVirtualClock } from '../testing/virtual-clock.ts';
import { UpstreamFetcher } from './upstream-fetcher.ts';

const PERMIT_TTL_MS = 2_000;

interface FetcherSetting {
  /** The permit comes this long after it was granted: the process stood still meanwhile. @default 0 */
  readonly paidAfterMs?: number;
  /** What a call comes to. @default it is answered */
  readonly reply?: (host: HostName) => UpstreamReply<SourceRows>;
}

const answered = (host: HostName): UpstreamReply<SourceRows> => ({
  host,
  rate: undefined,
  outcome: { ok: true, value: { rows: [], unreadableRows: 0 } },
});

function openFetcher({ paidAfterMs = 0, reply = answered }: FetcherSetting = {}) {
  const clock = createVirtualClock();
  const settled: CallResult[] = [];
  const calls: HostName[] = [];
  const callBudget: CallBudget = {
    async acquire({ subject }) {
      const permit = { id: 1, subject, expiresAt: clock.now() + PERMIT_TTL_MS, fencingToken: 1 };
      await clock.advance(paidAfterMs);
      return { kind: 'granted', permit };
    },
    settle: (_permit, result) => void settled.push(result),
    status: () => {
      throw new Error('not asked here');
    },
  };
  const listSources = async (host: HostName) => {
    calls.push(host);
    return reply(host);
  };
  const upstreamFetcher = new UpstreamFetcher({
    upstream: { listSources, latestPulse: () => assert.fail('not asked here') },
    callBudget,
    hasAltHost: true,
    upstreamTimeoutMs: 5_000,
    clock,
    random: () => 0.5,
  });
  const fetchRequest = {
    subject: 'sources',
    isUserFacing: () => false,
    demand: () => 1,
    onSent: () => {},
  } as const;
  const stop = () => upstreamFetcher.close();
  return {
    fetch: () => upstreamFetcher.fetchSources(fetchRequest),
    calls,
    settled,
    stop,
    hosts: upstreamFetcher.gate.hosts,
  };
}

describe('UpstreamFetcher', () => {
  it('makes a call as soon as it has leave', async () => {
    const { fetch, calls, settled } = openFetcher();
    assert.equal((await fetch()).ok, true);
    assert.deepEqual(calls, ['main']);
    assert.deepEqual(
      settled.map(({ fate }) => fate),
      ['answered'],
    );
  });

  it('T-11: makes no call so long after it had leave that another window may count it, and gives the leave back', async () => {
    const { fetch, calls, settled } = openFetcher({ paidAfterMs: PERMIT_TTL_MS + 1 });
    assert.equal((await fetch()).ok, false);
    assert.deepEqual(calls, []);
    assert.deepEqual(
      settled.map(({ fate }) => fate),
      ['unsent'],
    );
  });

  describe('when its owner stops', () => {
    const aborted = (host: HostName): UpstreamReply<SourceRows> => ({
      host,
      rate: undefined,
      outcome: { ok: false, failure: { kind: 'unreachable' } },
    });

    it('counts an aborted call as lost, blames no host and spends no second permit', async () => {
      const { fetch, calls, settled, stop, hosts } = openFetcher({ reply: (host) => (stop(), aborted(host)) });
      const result = await fetch();
      assert.deepEqual([result.ok, !result.ok && result.attempted], [false, false]);
      assert.deepEqual(calls, ['main']);
      assert.deepEqual(
        settled.map(({ fate }) => fate),
        ['lost'],
      );
      assert.ok(hosts.status(0).every(({ state }) => state === 'closed'));
    });

    it('asks for no permit any more', async () => {
      const { fetch, calls, settled, stop } = openFetcher();
      stop();
      assert.equal((await fetch()).ok, false);
      assert.deepEqual([calls, settled], [[], []]);
    });

    it('still takes the answer of a call that came to its end', async () => {
      const { fetch, stop } = openFetcher({ reply: (host) => (stop(), answered(host)) });
      assert.equal((await fetch()).ok, true);
    });
  });
});
