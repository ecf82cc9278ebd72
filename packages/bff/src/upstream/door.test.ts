import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AcquireResult, CallBudget, CallResult, RefusalReason } from '../budget/call-budget.ts';
import { createVirtualClock, settled } from '../testing/virtual-clock.ts';
import { ApiKeyStatus } from './api-key-status.ts';
import { Backoffs } from './backoffs.ts';
import type { CallObserver } from './call-observer.ts';
import { type Attempt, Door, type FetchRequest } from './door.ts';
import { notAttempted } from './failure.ts';
import { Hosts } from './hosts.ts';
import { LIST_ID } from './subject.ts';

const TIMEOUT_MS = 5_000;
const PERMIT_TTL_MS = 2_000;
const FAILED = notAttempted('upstream_unavailable', 'upstream-error', 5_000);

/** A door with two hosts. Its budget grants every call from `freeInMs` on, and denies all calls until then. */
function openDoor({ freeInMs = 0, observer }: { readonly freeInMs?: number; readonly observer?: CallObserver } = {}) {
  const clock = createVirtualClock();
  const start = clock.now();
  const budget = {
    status: { left: 1, pausedForMs: 0, starting: false },
    reason: 'budget' as RefusalReason,
    /** How many permits were requested. */
    requested: 0,
    settled: [] as CallResult['fate'][],
    /** Runs while a permit is acquired. */
    meanwhile: async () => {},
  };
  const callBudget: CallBudget = {
    async acquire(subject): Promise<AcquireResult> {
      budget.requested += 1;
      const retryInMs = start + freeInMs - clock.now();
      if (retryInMs > 0) {
        await budget.meanwhile();
        return { kind: 'denied', reason: budget.reason, retryInMs };
      }
      const permit = { id: 1, subject, expiresAt: clock.now() + PERMIT_TTL_MS, fencingToken: 1 };
      await budget.meanwhile();
      return { kind: 'granted', permit };
    },
    settle: (_permit, { fate }) => void budget.settled.push(fate),
    status: () => ({
      limit: 60,
      reserve: 0,
      windowMs: 60_000,
      used: 0,
      maxLeft: 9,
      capacity: 60,
      others: 0,
      earlier: 0,
      ...budget.status,
    }),
  };
  const apiKey = new ApiKeyStatus();
  const hosts = new Hosts({ hasAlt: true, callMs: TIMEOUT_MS });
  const backoffs = new Backoffs({ callBudget, random: () => 1 });
  const refused: string[] = [];
  const recorder: CallObserver = { refused: (reason) => void refused.push(reason) };
  const options = { apiKey, hosts, backoffs, callBudget, clock, timeoutMs: TIMEOUT_MS };
  const door = new Door({ ...options, observer: observer ?? recorder });
  return { clock, budget, apiKey, hosts, backoffs, refused, door };
}

type OpenDoor = ReturnType<typeof openDoor>;

/** A request that begins now. */
function attemptAt({ clock }: OpenDoor, request: Partial<FetchRequest> = {}): Attempt {
  const whole = { subject: 'src_1', isAwaited: false, demand: 1, recordSent: () => {}, ...request };
  return { request: whole, tried: new Set(), endsAt: clock.now() + TIMEOUT_MS, calls: 0 };
}

/** The result of a call for `src_1`: the host, or the reason why the call isn't admitted. */
async function admit(opened: OpenDoor, attempt = attemptAt(opened)): Promise<string> {
  const result = await opened.door.admit(attempt);
  return result.ok ? result.host : `${result.code} ${result.detail} ${result.retryInMs}`;
}

function refuseKey({ apiKey, clock }: OpenDoor): void {
  apiKey.recordRefusal('src_1', 403, clock.now());
}

function failHosts({ hosts, clock }: OpenDoor): void {
  for (let failure = 0; failure < 3; failure += 1)
    for (const host of ['main', 'alt'] as const) hosts.recordFailure(host, clock.now());
}

function failSource({ backoffs, clock }: OpenDoor): void {
  backoffs.recordFailure('src_1', FAILED, clock.now());
}

describe('Door.admit()', () => {
  it('names the preferred host, and the host to try if that host fails', async () => {
    const opened = openDoor();
    const admission = await opened.door.admit(attemptAt(opened));
    assert.ok(admission.ok);
    assert.deepEqual([admission.host, admission.other, admission.sentAt], ['main', 'alt', opened.clock.now()]);
  });

  it('sends readers’ calls to the working host, and probes the failed host with other calls', async () => {
    const opened = openDoor();
    opened.hosts.recordFailure('main', opened.clock.now());
    await opened.clock.advance(15_000);
    assert.equal(await admit(opened, attemptAt(opened, { isAwaited: true })), 'alt');
    assert.equal(await admit(opened), 'main');
  });

  describe('reports each admitted call', () => {
    it('to the request', async () => {
      const opened = openDoor();
      const sent: number[] = [];
      await admit(opened, attemptAt(opened, { recordSent: (at) => void sent.push(at) }));
      assert.deepEqual(sent, [opened.clock.now()]);
    });

    it('to the host, so that only one call probes a failed host', async () => {
      const opened = openDoor();
      opened.hosts.recordFailure('main', opened.clock.now());
      await opened.clock.advance(15_000);
      assert.deepEqual([await admit(opened), await admit(opened)], ['main', 'alt']);
    });

    it('to the key, so that only one call tests a rejected key', async () => {
      const opened = openDoor();
      refuseKey(opened);
      await opened.clock.advance(30_000);
      assert.deepEqual([await admit(opened), await admit(opened)], ['main', 'upstream_auth auth 30000']);
    });

    it('to the backoffs, so that failing sources are retried in turn', async () => {
      const opened = openDoor();
      for (const id of ['src_1', 'src_2']) opened.backoffs.recordFailure(id, FAILED, opened.clock.now());
      await opened.clock.advance(2_000);
      assert.equal(opened.door.isHeld('src_2'), false);
      await admit(opened);
      assert.equal(opened.door.isHeld('src_2'), true);
    });
  });

  describe('refuses a call', () => {
    const reasons: [name: string, prepare: ((opened: OpenDoor) => void)[], result: string, counted: string[]][] = [
      ['while the source waits after a failure', [failSource], 'upstream_unavailable upstream-error 2000', []],
      [
        'while all hosts are down, rather than because of the source',
        [failSource, failHosts],
        'upstream_unavailable upstream-unavailable 7500',
        ['circuit-open'],
      ],
      [
        'while the key is rejected, rather than because of the hosts',
        [failHosts, refuseKey],
        'upstream_auth auth 30000',
        ['key-refused'],
      ],
      [
        'after it was closed, rather than because of the key',
        [refuseKey, ({ door }) => door.close()],
        'upstream_unavailable stopping 1000',
        [],
      ],
    ];
    for (const [name, prepare, result, counted] of reasons)
      it(`${name}; counts ${counted[0] ?? 'nothing'}`, async () => {
        const opened = openDoor();
        for (const each of prepare) each(opened);
        assert.equal(await admit(opened), result);
        assert.deepEqual(opened.refused, counted);
      });

    it('also if no one observes refusals', async () => {
      const opened = openDoor({ observer: {}, freeInMs: 60_000 });
      assert.equal(await admit(opened), 'upstream_rate_limited budget 60000');
      failHosts(opened);
      assert.match(await admit(opened), /^upstream_unavailable/);
    });

    for (const [reason, detail] of [
      ['budget', 'budget'],
      ['paused', 'paused'],
      ['starting', 'starting'],
      ['budget-store-lost', 'budget'],
    ] as const)
      it(`if the budget denies it, and says why: ${reason}`, async () => {
        const opened = openDoor({ freeInMs: 1_000 });
        opened.budget.reason = reason;
        assert.equal(await admit(opened), `upstream_rate_limited ${detail} 1000`);
        assert.deepEqual(opened.refused, [reason]);
      });
  });

  it('ignores the backoff of the source once the request has sent a call', async () => {
    const opened = openDoor();
    failSource(opened);
    assert.equal(await admit(opened, { ...attemptAt(opened), calls: 1 }), 'main');
  });

  describe('while it acquires a permit', () => {
    it('waits if a reader waits, but keeps a quarter of the deadline for the call', async () => {
      const inTime = openDoor({ freeInMs: 3_750 });
      const result = admit(inTime, attemptAt(inTime, { isAwaited: true }));
      await inTime.clock.advance(3_750);
      assert.equal(await result, 'main');
      const tooLate = openDoor({ freeInMs: 3_751 });
      assert.match(await admit(tooLate, attemptAt(tooLate, { isAwaited: true })), /^upstream_rate_limited/);
    });

    it('waits if a reader joins in the meantime', async () => {
      const opened = openDoor({ freeInMs: 1_000 });
      const request = { subject: 'src_1', isAwaited: false, demand: 1, recordSent: () => {} };
      opened.budget.meanwhile = async () => void (request.isAwaited = true);
      const result = admit(opened, { ...attemptAt(opened), request });
      await opened.clock.advance(1_000);
      assert.equal(await result, 'main');
    });

    it('requests no second permit if a reader joins in the meantime', async () => {
      const opened = openDoor();
      const request = { subject: 'src_1', isAwaited: false, demand: 1, recordSent: () => {} };
      opened.budget.meanwhile = async () => void (request.isAwaited = true);
      assert.equal(await admit(opened, { ...attemptAt(opened), request }), 'main');
      assert.equal(opened.budget.requested, 1);
    });

    it('gives the permit back if the key was rejected in the meantime', async () => {
      const opened = openDoor();
      opened.budget.meanwhile = async () => refuseKey(opened);
      assert.equal(await admit(opened), 'upstream_auth auth 30000');
      assert.deepEqual(opened.budget.settled, ['unsent']);
    });

    it('gives the permit back if the last host has failed in the meantime', async () => {
      const opened = openDoor();
      opened.budget.meanwhile = async () => opened.hosts.recordFailure('alt', opened.clock.now());
      const attempt = { ...attemptAt(opened), tried: new Set(['main'] as const), calls: 1 };
      assert.equal(await admit(opened, attempt), 'upstream_unavailable upstream-unavailable 1000');
      assert.deepEqual(opened.budget.settled, ['unsent']);
    });

    it('uses the permit until it expires, and gives it back after that', async () => {
      for (const [waitMs, result] of [
        [PERMIT_TTL_MS, 'main'],
        [PERMIT_TTL_MS + 1, 'upstream_unavailable upstream-unavailable 1000'],
      ] as const) {
        const opened = openDoor();
        opened.budget.meanwhile = () => opened.clock.advance(waitMs);
        assert.equal(await admit(opened), result);
      }
    });

    it('refuses all calls that wait when it is closed', async () => {
      const opened = openDoor({ freeInMs: 3_000 });
      const waiting = admit(opened, attemptAt(opened, { isAwaited: true }));
      await settled();
      opened.door.close();
      assert.equal(await waiting, 'upstream_rate_limited budget 1000');
    });
  });
});

describe('Door.whyNoCall()', () => {
  for (const [status, result] of [
    [{ left: 1, pausedForMs: 0, starting: false }, undefined],
    [{ left: 1, pausedForMs: 0, starting: true }, undefined],
    [{ left: 0, pausedForMs: 0, starting: false }, notAttempted('upstream_rate_limited', 'budget', 1_000)],
    [{ left: 0, pausedForMs: 0, starting: true }, notAttempted('upstream_rate_limited', 'starting', 1_000)],
    [{ left: 0, pausedForMs: 400, starting: true }, notAttempted('upstream_rate_limited', 'paused', 1_000)],
    [{ left: 0, pausedForMs: 9_000, starting: false }, notAttempted('upstream_rate_limited', 'paused', 9_000)],
  ] as const)
    it(`returns ${result ? `"${result.detail}"` : 'no reason'} for the budget ${JSON.stringify(status)}`, () => {
      const opened = openDoor();
      opened.budget.status = status;
      assert.deepEqual(opened.door.whyNoCall('src_1'), result);
    });

  it('returns what blocks the source, even if the budget is used up', () => {
    const opened = openDoor();
    opened.budget.status.left = 0;
    failSource(opened);
    assert.equal(opened.door.whyNoCall('src_1')?.detail, 'upstream-error');
    assert.equal(opened.door.whyNoCall(LIST_ID)?.detail, 'budget');
  });
});

describe('Door.isHeld()', () => {
  it('is true during a backoff, but not if only the budget is used up', () => {
    const opened = openDoor();
    opened.budget.status.left = 0;
    assert.equal(opened.door.isHeld('src_1'), false);
    failSource(opened);
    assert.equal(opened.door.isHeld('src_1'), true);
  });
});
