import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Core, type CoreOptions, openCore } from '../testing/core.ts';
import { type Ending, KEY_A, SPEC_ERROR } from '../testing/fake-service.ts';
import { overTime } from '../testing/virtual-clock.ts';
import { failed } from './failure.ts';
import { LIST } from './target.ts';

const KEY_B = 'key-of-account-a-too';

/** Fetches a target for a reader who has nothing to see yet, and lets time pass until the fetch completes. */
async function fetch({ upstream, clock }: Core, target = 'src_1', isAwaited = true) {
  return overTime(clock, upstream.fetch(target, { isAwaited }));
}

async function failing(ending: Ending, options: CoreOptions = {}): Promise<Core> {
  const core = await openCore(options);
  core.service.ending = () => ending;
  return core;
}

describe('Upstream', () => {
  it('returns the service’s response, with its owner and the time of the request', async () => {
    const core = await openCore();
    const before = core.clock.now();
    const answer = await fetch(core);
    assert.ok(answer.ok);
    assert.deepEqual([answer.requestedAt, answer.keyName, answer.host], [before, core.key.name, 'main']);
    assert.ok(answer.account !== undefined && !answer.account.includes('account A'));
    assert.equal(core.clock.pending(), 0);
    core.service.hasHeaders = false;
    await fetch(core, 'src_2');
    assert.equal(core.upstream.status().serviceLimit, 60);
  });

  const endings: [ending: Ending, code: string, status?: number][] = [
    [{ status: 500 }, 'server_error', 500],
    [{ status: 404, body: '<html>' }, 'gateway', 404],
    [{ status: 404, body: { statusCode: 404 } }, 'gateway', 404],
    [{ status: 401 }, 'key_rejected', 401],
    [{ status: 401, body: '<html>' }, 'gateway', 401],
    [{ status: 403 }, 'scope_missing', 403],
    [{ status: 429 }, 'rate_limited', 429],
    [{ status: 302, headers: { Location: 'https://login.test/' } }, 'redirect', 302],
    [{ status: 201 }, 'invalid', 201],
    [{ status: 400 }, 'invalid', 400],
    [{ status: 200, body: { pulse: 7 } }, 'invalid', 200],
    [{ status: 200, body: '<html>' }, 'invalid', 200],
    [{ error: 'ECONNREFUSED' }, 'connection'],
    ['hang', 'timeout'],
  ];
  for (const [ending, code, status] of endings)
    it(`reports ${JSON.stringify(ending)} as ${code}`, async () => {
      const core = await failing(ending);
      const failure = await fetch(core);
      assert.ok(!failure.ok);
      assert.equal(failure.code, code);
      if (status !== undefined) assert.equal(failure.status, status);
      assert.ok(failure.retryInMs > 0);
    });

  it('backs off longer each time a target fails, and starts over after a response', async () => {
    const core = await failing({ status: 200, body: { pulse: 7 } });
    // A failure that the target didn’t cause.
    core.upstream.backoffs.failed('src_1', failed('timeout'), { beganAt: core.clock.now(), waitMs: 7_500 });
    const waits: number[] = [];
    for (let failures = 0; failures < 6; failures += 1) {
      // Another target proves that the host works.
      core.service.ending = ({ about }) => (about === 'src_1' ? { status: 200, body: { pulse: 7 } } : undefined);
      await fetch(core, 'src_2');
      await core.clock.advance(30_000);
      const failure = await fetch(core);
      if (!failure.ok) waits.push(failure.retryInMs);
    }
    assert.deepEqual(waits, [1_500, 3_000, 6_000, 12_000, 22_500, 22_500]);
    assert.ok((core.upstream.backoffs.last('src_1')?.forMs ?? 0) > 150_000);
    core.service.ending = () => undefined;
    await core.clock.advance(30_000);
    assert.ok((await fetch(core)).ok);
    assert.equal(core.upstream.backoffs.last('src_1'), undefined);
  });

  it('retries a failing source only after its own delays, and the next source as soon as that one recovers', async () => {
    const core = await failing({ status: 400, body: SPEC_ERROR });
    for (const id of ['src_2', 'src_1']) await fetch(core, id);
    for (const waitMs of [1_500, 3_000]) {
      const again = await fetch(core);
      assert.deepEqual([!again.ok && again.code, core.upstream.whyNoCall('src_1')?.code], ['invalid', 'invalid']);
      await core.clock.advance(waitMs);
      await fetch(core);
    }
    assert.equal(core.service.callsAbout('src_1'), 3);
    await core.clock.advance(6_000);
    core.service.ending = () => undefined;
    for (const id of ['src_1', 'src_2']) assert.ok((await fetch(core, id)).ok, id);
  });

  it('doesn’t make the list wait for a failing source', async () => {
    const core = await failing({ status: 400, body: SPEC_ERROR });
    for (const target of ['src_1', LIST]) await fetch(core, target);
    await core.clock.advance(1_500);
    for (const target of ['src_1', LIST]) await fetch(core, target);
    assert.equal(core.service.callsAbout('list'), 2);
  });

  for (const isAwaited of [false, true])
    for (const status of [400, 500])
      it(`tries sources that fail with ${status} one at a time${isAwaited ? ', even if readers are waiting' : ''}`, async () => {
        const ids = Array.from({ length: 60 }, (_, index) => `src_${index}`);
        const core = await openCore({ ids });
        core.service.ending = ({ about }) => (about === 'list' ? undefined : { status, body: SPEC_ERROR });
        for (let second = 0; second < 180; second += 1) {
          for (const id of ids) void core.upstream.fetch(id, { isAwaited });
          await core.clock.advance(1_000);
        }
        const lastMinute = core.service.calls.filter(({ at }) => at > core.clock.now() - 60_000);
        assert.ok(lastMinute.length <= 12, `${lastMinute.length} calls`);
      });

  for (const ending of [{ status: 500 }, { error: 'ECONNREFUSED' }, 'hang'] as const)
    for (const startsAt of [0, 1])
      it(`calls a source from second ${startsAt} on, even though others always fail with ${JSON.stringify(ending)}`, async () => {
        const ids = ['src_0', 'src_1', 'src_2', 'src_3', 'src_good'];
        const core = await openCore({ ids });
        core.service.ending = ({ about }) => (about === 'src_good' ? undefined : ending);
        // Readers ask for the failing sources first. The good one is due every 15 s.
        for (let second = 0; second < 120; second += 0.5) {
          for (const id of ids)
            if (id !== 'src_good' || second >= startsAt) void core.answers.fetch(id, { isAwaited: id !== 'src_good' });
          await core.clock.advance(500);
        }
        const calls = core.service.callsAbout('src_good');
        assert.ok(calls >= 5, `${calls} calls`);
      });

  it('returns calls to the budget if no host can take them, so that later calls aren’t blocked', async () => {
    const ids = Array.from({ length: 8 }, (_, index) => `src_${index}`);
    const core = await openCore({ ids });
    await fetch(core, LIST);
    core.service.ending = () => ({ error: 'ECONNREFUSED' });
    for (const id of ids.slice(0, 3)) await fetch(core, id);
    await core.clock.advance(7_500);
    // All of them find that the host can be tried again, but only the first one tries it.
    const before = core.service.calls.length;
    await overTime(core.clock, Promise.all(ids.slice(3).map((id) => core.upstream.fetch(id, { isAwaited: false }))));
    assert.equal(core.service.calls.length - before, 1);
    core.service.ending = () => undefined;
    await core.clock.advance(60_000);
    assert.ok((await fetch(core)).ok);
  });

  describe('with two hosts', () => {
    it('tries the other host within the same deadline', async () => {
      for (const ending of [{ status: 500 }, { error: 'ECONNREFUSED' }, 'hang'] as const) {
        const core = await openCore({ hasAlt: true });
        core.service.ending = ({ host }) => (host === 'main' ? ending : undefined);
        const startedAt = core.clock.now();
        const answer = await fetch(core);
        assert.ok(answer.ok && answer.host === 'alt');
        assert.ok(core.clock.now() - startedAt < 5_000);
      }
    });

    it('calls the other host first after a failure, and tries the main host again after a while', async () => {
      const core = await openCore({ hasAlt: true });
      core.service.ending = ({ host }) => (host === 'main' ? { status: 500 } : undefined);
      await fetch(core);
      await fetch(core, 'src_2');
      assert.deepEqual(
        core.service.calls.map(({ host }) => host),
        ['main', 'alt', 'alt'],
      );
      core.service.ending = () => undefined;
      await core.clock.advance(15_000);
      await fetch(core, LIST, false);
      await fetch(core);
      assert.deepEqual(
        core.service.calls.slice(3).map(({ host }) => host),
        ['main', 'main'],
      );
    });

    it('doesn’t try the other host after a 429 or a rejected key', async () => {
      for (const status of [429, 401, 403]) {
        const core = await failing({ status }, { hasAlt: true });
        await fetch(core);
        assert.deepEqual(
          core.service.calls.map(({ host }) => host),
          ['main'],
        );
      }
    });

    it('counts a timeout only if the call had at least half of the deadline left', async () => {
      const core = await failing('hang', { hasAlt: true });
      await fetch(core);
      const [main, alt] = core.upstream.status().hosts;
      assert.deepEqual([main?.consecutiveFailures, alt?.consecutiveFailures], [1, 0]);
    });

    it('calls neither host while both are down, and draws no conclusions about the service', async () => {
      const core = await failing({ error: 'ECONNREFUSED' }, { hasAlt: true });
      for (const target of ['src_1', 'src_3']) await fetch(core, target);
      const last = await fetch(core, 'src_4');
      assert.ok(!last.ok && last.retryInMs > 5_000, 'it waits as long as the hosts');
      const calls = core.service.calls.length;
      const other = await fetch(core, 'src_2');
      assert.ok(!other.ok && other.code === 'connection');
      assert.equal(core.service.calls.length, calls);
      assert.ok(core.upstream.hosts.areAllDown);
    });
  });

  describe('when a keep-alive connection is closed', () => {
    const reset = { error: 'ECONNRESET' } as const;

    it('retries the call once on a fresh connection and counts the retry against the budget', async () => {
      const core = await openCore();
      await fetch(core, 'src_2');
      core.service.ending = ({ usesNewConnection }) => (usesNewConnection ? undefined : reset);
      assert.ok((await fetch(core)).ok);
      assert.deepEqual(
        core.service.calls.map(({ usesNewConnection }) => usesNewConnection),
        [false, false, true],
      );
      assert.equal(core.upstream.status().budget.used, 3);
      assert.equal(core.upstream.status().hosts[0]?.consecutiveFailures, 0);
    });

    it('doesn’t retry the call if its connection was already fresh', async () => {
      const core = await failing(reset);
      assert.ok(!(await fetch(core)).ok);
      assert.equal(core.service.calls.length, 1);
      core.service.ending = () => undefined;
      await core.clock.advance(20_000);
      await fetch(core, 'src_2');
      core.service.ending = () => reset;
      await fetch(core, 'src_2');
      assert.equal(core.service.calls.length, 4);
      assert.equal(core.upstream.status().hosts[0]?.consecutiveFailures, 1);
    });
  });

  describe('when the budget is spent', () => {
    function spend({ budget, clock }: Core): void {
      while (budget.waitMs(clock.now()) === 0) {
        void budget.take(clock.now());
        budget.ended(clock.now(), {});
      }
    }

    it('makes readers wait only if there is nothing to show', async () => {
      const core = await openCore();
      spend(core);
      const planned = await fetch(core, 'src_2', false);
      assert.ok(!planned.ok && planned.code === 'out_of_calls');
      assert.ok((await fetch(core)).ok);
    });

    it('gives the full deadline to a call that had to wait', async () => {
      const core = await openCore();
      spend(core);
      core.service.latencyMs = 4_500;
      assert.ok((await fetch(core)).ok);
    });

    it('wakes up all waiting callers as soon as a response allows a burst', async () => {
      const ids = Array.from({ length: 10 }, (_, index) => `src_${index}`);
      const core = await openCore({ ids, isCold: true });
      const startedAt = core.clock.now();
      const page = await overTime(
        core.clock,
        Promise.all(ids.map((id) => core.upstream.fetch(id, { isAwaited: true }))),
      );
      assert.ok(page.every(({ ok }) => ok));
      assert.ok(core.clock.now() - startedAt < 3_000);
    });

    it('reports that the BFF is starting, not that the service is busy', async () => {
      const core = await openCore({ isCold: true });
      assert.equal(core.upstream.whyNoCall('src_1')?.code, 'starting');
    });

    it('after two windows, no longer reports that the BFF is starting, even if no response has rate-limit headers', async () => {
      const core = await openCore({ isCold: true });
      core.service.hasHeaders = false;
      assert.ok((await fetch(core)).ok);
      await core.clock.advance(121_000);
      spend(core);
      assert.equal(core.upstream.whyNoCall('src_1')?.code, 'out_of_calls');
    });

    it('during a pause, reports that the service is limiting calls', async () => {
      const core = await failing({ status: 429, headers: { 'Retry-After': '20' } });
      core.service.hasHeaders = false;
      const first = await fetch(core);
      assert.ok(!first.ok && first.retryInMs >= 20_000);
      const { code, retryInMs } = core.upstream.whyNoCall('src_2') ?? {};
      assert.equal(code, 'rate_limited');
      assert.ok((retryInMs ?? 0) >= 20_000);
      await core.clock.advance(19_000);
      core.service.ending = () => undefined;
      await fetch(core, 'src_2', false);
      assert.equal(core.service.calls.length, 1);
    });

    it('reports how long all calls have been returning 429', async () => {
      const core = await failing({ status: 429, headers: { 'Retry-After': '20' } });
      core.service.hasHeaders = false;
      assert.equal(core.upstream.status().limitedForMs, undefined);
      for (const target of ['src_1', 'src_2', 'src_3']) {
        await fetch(core, target);
        await core.clock.advance(21_000);
      }
      assert.equal(core.service.calls.length, 3);
      assert.ok((core.upstream.status().limitedForMs ?? 0) >= 63_000);
      core.service.ending = () => undefined;
      await fetch(core, LIST);
      assert.equal(core.upstream.status().limitedForMs, undefined);
    });
  });

  describe('when the key is rejected', () => {
    it('retries a rejected operation every 30 s and keeps calling the other one', async () => {
      const core = await openCore();
      core.service.keys.set(KEY_A, { account: 'account A', forbidden: new Set(['sources'] as const) });
      for (let second = 0; second < 70; second += 1) {
        void core.upstream.fetch(LIST, { isAwaited: false });
        await core.clock.advance(1_000);
      }
      assert.equal(core.service.callsAbout('list'), 3);
      assert.ok((await fetch(core)).ok);
      assert.deepEqual(core.upstream.status().key.missingScope, 'sources:read');
      core.service.keys.set(KEY_A, { account: 'account A' });
      await core.clock.advance(30_000);
      assert.ok((await fetch(core, LIST)).ok);
      assert.equal(core.upstream.status().key.state, 'accepted');
    });

    it('waits 30 s after a 401 before it makes another call', async () => {
      const core = await failing({ status: 401 });
      await fetch(core);
      for (const target of ['src_2', LIST]) {
        const blocked = await fetch(core, target);
        assert.ok(!blocked.ok && blocked.code === 'key_rejected');
      }
      assert.equal(core.service.calls.length, 1);
    });

    it('tests a rejected operation with one call at a time', async () => {
      const core = await openCore();
      core.service.keys.set(KEY_A, { account: 'account A', forbidden: new Set(['pulse'] as const) });
      await fetch(core);
      await core.clock.advance(30_000);
      await fetch(core, LIST);
      void core.upstream.fetch('src_2', { isAwaited: true });
      await core.clock.advance(10);
      assert.ok(!(await fetch(core, 'src_3')).ok);
      assert.equal(core.service.callsAbout('src_3'), 0);
    });

    it('tries the other operation immediately when a 403 shows that the key is valid again', async () => {
      const core = await failing({ status: 401 });
      await fetch(core, LIST);
      await core.clock.advance(30_000);
      core.service.ending = ({ about }) => (about === 'list' ? { status: 403 } : undefined);
      await fetch(core, LIST);
      assert.equal(core.key.refusedForMs('pulse'), undefined);
      assert.ok((await fetch(core)).ok);
    });

    it('tries a new key immediately for every operation, then uses the key that allows each operation', async () => {
      const keyFile = { text: KEY_A };
      const core = await openCore({ keyFile });
      await fetch(core, LIST);
      await fetch(core);
      core.service.keys.set(KEY_A, { account: 'account A', isRevoked: true });
      await fetch(core, LIST);
      await fetch(core);
      core.service.keys.set(KEY_B, { account: 'account A', forbidden: new Set(['sources'] as const) });
      keyFile.text = KEY_B;
      await core.clock.advance(5_000);
      const calls = core.service.callsAbout('list');
      assert.ok(!(await fetch(core, LIST)).ok);
      assert.equal(core.service.callsAbout('list'), calls + 1);
      assert.ok((await fetch(core)).ok);
      assert.ok((await fetch(core, 'src_2')).ok);
    });

    it('rereads the key file immediately and retries the call with the new key', async () => {
      const keyFile = { text: KEY_A };
      const core = await openCore({ keyFile });
      core.service.keys.set(KEY_A, { account: 'account A', isRevoked: true });
      core.service.keys.set(KEY_B, { account: 'account A' });
      keyFile.text = KEY_B;
      assert.ok((await fetch(core)).ok);
      assert.deepEqual(
        core.service.calls.map(({ key }) => key),
        [KEY_A, KEY_B],
      );
    });
  });

  it('counts a 429 or a rejected key as a response from the host', async () => {
    for (const status of [429, 401]) {
      const core = await failing({ status: 500 });
      await fetch(core);
      core.service.ending = () => ({ status });
      await fetch(core, 'src_2');
      assert.equal(core.upstream.status().hosts[0]?.consecutiveFailures, 0);
    }
  });

  it('doesn’t trust a 404 while the list also returns 404', async () => {
    const core = await failing({ status: 404, body: SPEC_ERROR });
    await fetch(core, LIST);
    await core.clock.advance(10_000);
    const answer = await fetch(core);
    assert.ok(!answer.ok && answer.code === 'not_found_everywhere');
  });

  it('stops making calls and cancels pending ones when it is closed', async () => {
    const core = await failing('hang');
    const underWay = core.upstream.fetch('src_1', { isAwaited: true });
    await core.clock.advance(10);
    core.upstream.close();
    const closedAt = core.clock.now();
    const ended = await overTime(core.clock, underWay);
    assert.ok(!ended.ok && ended.code === 'stopping');
    assert.ok(core.clock.now() - closedAt < 100);
    const after = await fetch(core, 'src_2');
    assert.ok(!after.ok && after.code === 'stopping');
  });

  it('reports both calls that were made and calls that weren’t allowed', async () => {
    const core = await failing({ status: 500 });
    const seen: unknown[] = [];
    const end = core.upstream.observe({
      called: ({ host, kind, outcome }) => seen.push([host, kind, outcome]),
      refused: (code) => seen.push(code),
    });
    await fetch(core);
    await fetch(core);
    end();
    await fetch(core);
    assert.deepEqual(seen, [['main', 'pulse', 'server_error'], 'server_error']);
  });

  it('pauses for only a second after a 429 from a gateway, whose rate headers describe its own limits', async () => {
    const headers = { 'X-RateLimit-Limit': '60', 'X-RateLimit-Remaining': '0' };
    const pauses: number[] = [];
    for (const body of ['<html>', SPEC_ERROR]) {
      const core = await failing({ status: 429, body, headers });
      await fetch(core);
      pauses.push(core.upstream.status().budget.pausedForMs);
    }
    const [ofGateway = 0, ofService = 0] = pauses;
    assert.ok(ofGateway > 0 && ofGateway <= 1_000 && ofService > 50_000, pauses.join());
  });
});
