import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CallBudget, CallResult } from '../budget/call-budget.ts';
import type { HostName, UpstreamReply } from './port.ts';
import { createVirtualClock } from '../testing/virtual-clock.ts';
import { UpstreamFetcher } from './upstream-fetcher.ts';
import { HostFailover } from './host-failover.ts';
import { ApiKeyStatus } from './api-key.ts';

const PERMIT_TTL_MS = 2_000;

interface FetcherSetting {
  /** The permit comes this long after it was granted: the process stood still meanwhile. @default 0 */
  readonly paidAfterMs?: number;
  /** What a call comes to. @default it is answered */
  readonly reply?: (host: HostName) => UpstreamReply<string>;
}

const answered = (host: HostName): UpstreamReply<string> => ({
  host,
  rate: undefined,
  outcome: { ok: true, value: 'all' },
});

function openFetcher({ paidAfterMs = 0, reply = answered }: FetcherSetting = {}) {
  const clock = createVirtualClock();
  const stopping = new AbortController();
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
  const hosts = new HostFailover({ hasAlt: true, callMs: 5_000, random: () => 0.5 });
  const upstreamFetcher = new UpstreamFetcher({
    callBudget,
    clock,
    hosts,
    key: new ApiKeyStatus(),
    upstreamTimeoutMs: 5_000,
    observer: {},
    onHostBack: () => {},
    signal: stopping.signal,
  });
  const fetchRequest = {
    request: { kind: 'sources' },
    subject: 'sources',
    bucket: 'known',
    isUserFacing: () => false,
    demand: () => 1,
    call: async (host: HostName): Promise<UpstreamReply<string>> => {
      calls.push(host);
      return reply(host);
    },
    onSent: () => {},
  } as const;
  return { fetch: () => upstreamFetcher.fetch(fetchRequest), calls, settled, stopping, hosts };
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
    const aborted = (host: HostName): UpstreamReply<string> => ({
      host,
      rate: undefined,
      outcome: { ok: false, failure: { kind: 'unreachable' } },
    });

    it('counts an aborted call as lost, blames no host and spends no second permit', async () => {
      const { fetch, calls, settled, stopping, hosts } = openFetcher({
        reply: (host) => (stopping.abort(), aborted(host)),
      });
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
      const { fetch, calls, settled, stopping } = openFetcher();
      stopping.abort();
      assert.equal((await fetch()).ok, false);
      assert.deepEqual([calls, settled], [[], []]);
    });

    it('still takes the answer of a call that came to its end', async () => {
      const { fetch, stopping } = openFetcher({ reply: (host) => (stopping.abort(), answered(host)) });
      assert.equal((await fetch()).ok, true);
    });
  });
});
