import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CallLedger, CallResult } from '../budget/call-ledger.ts';
import type { HostName, UpstreamReply } from '../upstream/port.ts';
import { createFakeUpstream } from '../testing/fake-upstream.ts';
import { createVirtualClock } from '../testing/virtual-clock.ts';
import { Caller } from './caller.ts';
import { HostChoice } from './host-choice.ts';
import { KeyHealth } from './key-health.ts';

const LEAVE_WITHIN_MS = 2_000;

interface CallerSetting {
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

function openCaller({ paidAfterMs = 0, reply = answered }: CallerSetting = {}) {
  const clock = createVirtualClock();
  const stopping = new AbortController();
  const settled: CallResult[] = [];
  const calls: HostName[] = [];
  const ledger: CallLedger = {
    async acquire({ subject }) {
      const grant = { id: 1, subject, leaveBefore: clock.now() + LEAVE_WITHIN_MS, fence: 1 };
      await clock.advance(paidAfterMs);
      return { kind: 'go', grant };
    },
    settle: (_grant, result) => void settled.push(result),
    status: () => {
      throw new Error('not asked here');
    },
  };
  const hosts = new HostChoice({ hasAlt: true, callMs: 5_000, random: () => 0.5 });
  const caller = new Caller({
    ledger,
    clock,
    upstream: createFakeUpstream(clock, []),
    hosts,
    key: new KeyHealth(),
    upstreamTimeoutMs: 5_000,
    observer: {},
    onHostBack: () => {},
    signal: stopping.signal,
  });
  const asking = {
    question: { kind: 'sources' },
    subject: 'sources',
    payer: 'known',
    readerWaits: () => false,
    demand: () => 1,
    call: async (host: HostName): Promise<UpstreamReply<string>> => {
      calls.push(host);
      return reply(host);
    },
    onLeave: () => {},
  } as const;
  return { ask: () => caller.ask(asking), calls, settled, stopping, hosts };
}

describe('Caller', () => {
  it('makes a call as soon as it has leave', async () => {
    const { ask, calls, settled } = openCaller();
    assert.equal((await ask()).ok, true);
    assert.deepEqual(calls, ['main']);
    assert.deepEqual(
      settled.map(({ fate }) => fate),
      ['answered'],
    );
  });

  it('T-11: makes no call so long after it had leave that another window may count it, and gives the leave back', async () => {
    const { ask, calls, settled } = openCaller({ paidAfterMs: LEAVE_WITHIN_MS + 1 });
    assert.equal((await ask()).ok, false);
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
      const { ask, calls, settled, stopping, hosts } = openCaller({
        reply: (host) => (stopping.abort(), aborted(host)),
      });
      const result = await ask();
      assert.deepEqual([result.ok, !result.ok && result.wasAsked], [false, false]);
      assert.deepEqual(calls, ['main']);
      assert.deepEqual(
        settled.map(({ fate }) => fate),
        ['lost'],
      );
      assert.ok(hosts.status(0).every(({ state }) => state === 'well'));
    });

    it('asks for no permit any more', async () => {
      const { ask, calls, settled, stopping } = openCaller();
      stopping.abort();
      assert.equal((await ask()).ok, false);
      assert.deepEqual([calls, settled], [[], []]);
    });

    it('still takes the answer of a call that came to its end', async () => {
      const { ask, stopping } = openCaller({ reply: (host) => (stopping.abort(), answered(host)) });
      assert.equal((await ask()).ok, true);
    });
  });
});
