import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Redis } from 'ioredis';
import { KeyNamespace } from './key-namespace.ts';
import { RedisCallBudget } from './redis-call-budget.ts';
import { maxInAnyWindow } from '../testing/arrivals.ts';
import { describeWithRedis } from '../testing/instances.ts';
import { type RedisServer, startRedis } from '../testing/redis-server.ts';
import { TestBudgetClient } from '../testing/shared-budget-run.ts';
import { createVirtualClock, settled, type VirtualClock } from '../testing/virtual-clock.ts';
import type { AcquireResult, CallBudget, CallPermit, CallResult } from '../budget/call-budget.ts';
import { LocalCallBudget } from '../budget/local-call-budget.ts';

const OPTIONS = { limit: 60, reserve: 15, windowMs: 10_000, callMs: 1_000 };
const STEP_MS = 250;
/** The longest that a first call waits after a denial: a window, the margin for clocks and two heartbeats. */
const MAX_WAIT_MS = OPTIONS.windowMs + 2_500;
const NO_HEADERS = { limit: undefined, remaining: undefined, resetInMs: undefined };

/** A budget on a virtual clock. */
interface OpenBudget extends AsyncDisposable {
  readonly clock: VirtualClock;
  readonly budget: CallBudget;
  /** Waits until Redis has answered everything. */
  idle(): Promise<void>;
}

describe('CallBudget of one instance', () =>
  rules(async () => {
    const clock = createVirtualClock();
    return {
      clock,
      budget: new LocalCallBudget({ ...OPTIONS, clock }),
      idle: settled,
      async [Symbol.asyncDispose]() {},
    };
  }));

describeWithRedis('CallBudget over Redis', () => {
  let redis: RedisServer;
  before(async () => void (redis = await startRedis()));
  after(() => redis.close());
  describe('while Redis answers', () => rules(() => openOverRedis(redis, { isLost: false })));
  describe('while Redis is lost', () => rules(() => openOverRedis(redis, { isLost: true })));
});

/** The rules of every budget: the limit holds, and calls come back. */
function rules(open: () => Promise<OpenBudget>): void {
  it('grants no more calls in any window than its capacity, however often it is asked', async () => {
    await using opened = await open();
    const { clock, budget } = opened;
    const grantedAt: number[] = [];
    for (let step = 0; step < 160; step += 1) {
      for (let permit = await grant(budget); permit; permit = await grant(budget)) {
        grantedAt.push(clock.now());
        budget.settle(permit, answered(NO_HEADERS));
        await opened.idle();
      }
      await pass(opened, STEP_MS);
    }
    assert.ok(maxInAnyWindow(grantedAt, OPTIONS.windowMs) <= budget.status().capacity);
    assert.ok(grantedAt.length >= 2 * budget.status().capacity, `only ${grantedAt.length} calls in four windows`);
  });

  it('names a wait of at least 1 ms with each denial, and grants a call within a window', async () => {
    await using opened = await open();
    const denied = await spend(opened);
    assert.equal(denied.kind, 'denied');
    assert.ok(denied.kind === 'denied' && denied.retryInMs >= 1);
    assert.ok((await waitedMs(opened)) <= MAX_WAIT_MS);
  });

  it('gives back a call that was never sent', async () => {
    await using opened = await open();
    const permit = await firstPermit(opened);
    assert.equal(opened.budget.status().used, 1);
    opened.budget.settle(permit, { fate: 'unsent' });
    await opened.idle();
    assert.equal(opened.budget.status().used, 0);
  });

  it('makes no call for as long as a 429 says', async () => {
    await using opened = await open();
    const permit = await firstPermit(opened);
    opened.budget.settle(permit, { fate: 'answered', window: NO_HEADERS, rateLimited: { retryAfterMs: 8_000 } });
    await opened.idle();
    await pass(opened, 7_500);
    assert.equal(await grant(opened.budget), undefined);
    assert.ok((await waitedMs(opened)) <= MAX_WAIT_MS);
  });

  for (const limit of [0, 1, 15])
    it(`makes calls again within a window after an answer with a limit of ${limit}, and has its capacity back after it`, async () => {
      await using opened = await open();
      const permit = await firstPermit(opened);
      const { capacity } = opened.budget.status();
      opened.budget.settle(permit, answered({ limit, remaining: 0, resetInMs: 1_000 }));
      await opened.idle();
      const waits = await waitedMs(opened);
      assert.ok(waits <= MAX_WAIT_MS, `waited ${waits} ms`);
      await pass(opened, MAX_WAIT_MS);
      await firstPermit(opened);
      assert.equal(opened.budget.status().capacity, capacity);
    });

  it('never raises its capacity because the upstream reports a higher limit', async () => {
    await using opened = await open();
    const permit = await firstPermit(opened);
    const { capacity } = opened.budget.status();
    opened.budget.settle(permit, answered({ limit: 6_000, remaining: 5_999, resetInMs: 1_000 }));
    await opened.idle();
    assert.equal(opened.budget.status().capacity, capacity);
  });
}

let subjects = 0;

async function grant(budget: CallBudget): Promise<CallPermit | undefined> {
  const result = await acquire(budget);
  return result.kind === 'granted' ? result.permit : undefined;
}

function acquire(budget: CallBudget): Promise<AcquireResult> {
  return budget.acquire({ subject: `src_${++subjects}` });
}

/** Takes calls, answered at once, until one is denied. */
async function spend(opened: OpenBudget): Promise<AcquireResult> {
  for (;;) {
    const result = await acquire(opened.budget);
    if (result.kind !== 'granted') return result;
    opened.budget.settle(result.permit, answered(NO_HEADERS));
    await opened.idle();
  }
}

/** The first call that is granted, and that is still in flight. */
async function firstPermit(opened: OpenBudget): Promise<CallPermit> {
  for (let ms = 0; ms <= 2 * MAX_WAIT_MS; ms += STEP_MS) {
    const permit = await grant(opened.budget);
    if (permit) return permit;
    await pass(opened, STEP_MS);
  }
  throw new Error('no call was granted');
}

/** How long it takes until a call is granted; it is answered. */
async function waitedMs(opened: OpenBudget): Promise<number> {
  const from = opened.clock.now();
  const permit = await firstPermit(opened);
  opened.budget.settle(permit, answered(NO_HEADERS));
  await opened.idle();
  return opened.clock.now() - from;
}

function answered(window: NonNullable<CallResult['window']>): CallResult {
  return { fate: 'answered', window };
}

async function pass(opened: OpenBudget, forMs: number): Promise<void> {
  for (let ms = 0; ms < forMs; ms += STEP_MS) {
    await opened.clock.advance(STEP_MS);
    await opened.idle();
  }
}

async function openOverRedis(redis: RedisServer, { isLost }: { isLost: boolean }): Promise<OpenBudget> {
  const connection = new Redis(redis.url, { protocol: 2 });
  await connection.flushall();
  const clock = createVirtualClock();
  const client = new TestBudgetClient(connection, () => Math.floor(clock.wallNow()));
  client.isLost = isLost;
  const namespace = new KeyNamespace({ derive: (purpose) => Buffer.from(purpose) }, 'https://service.test');
  const budget = new RedisCallBudget({ ...OPTIONS, client, clock, instance: 'one', namespace: () => namespace });
  await budget.membership.open();
  return {
    clock,
    budget,
    async idle() {
      for (;;) {
        await Promise.all(client.pending);
        await settled();
        if (client.pending.size === 0) return;
      }
    },
    async [Symbol.asyncDispose]() {
      await budget.membership.close();
      connection.disconnect();
    },
  };
}
