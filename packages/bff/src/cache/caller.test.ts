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

/** A caller whose leave to call comes `paidAfterMs` after it was granted: the process stood still meanwhile. */
function openCaller(paidAfterMs: number) {
  const clock = createVirtualClock();
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
  const asking = {
    question: { kind: 'sources' },
    subject: 'sources',
    payer: 'known',
    readerWaits: () => false,
    demand: () => 1,
    call: async (host: HostName): Promise<UpstreamReply<string>> => {
      calls.push(host);
      return { host, rate: undefined, outcome: { ok: true, value: 'all' } };
    },
    onLeave: () => {},
  } as const;
  return { ask: () => caller.ask(asking), calls, settled };
}

describe('Caller', () => {
  it('makes a call as soon as it has leave', async () => {
    const { ask, calls, settled } = openCaller(0);
    assert.equal((await ask()).ok, true);
    assert.deepEqual(calls, ['main']);
    assert.deepEqual(
      settled.map(({ fate }) => fate),
      ['answered'],
    );
  });

  it('T-11: makes no call so long after it had leave that another window may count it, and gives the leave back', async () => {
    const { ask, calls, settled } = openCaller(LEAVE_WITHIN_MS + 1);
    assert.equal((await ask()).ok, false);
    assert.deepEqual(calls, []);
    assert.deepEqual(
      settled.map(({ fate }) => fate),
      ['unsent'],
    );
  });
});
