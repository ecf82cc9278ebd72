import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Core, fetchFrom, openCore, openFailing } from '../testing/core.ts';
import { SPEC_ERROR } from '../testing/fake-service.ts';
import { overTime } from '../testing/virtual-clock.ts';
import { LIST } from './target.ts';

const DOWN = [{ status: 500 }, { error: 'ECONNREFUSED' }, 'hang'] as const;

const hostsOf = ({ service }: Core) => service.calls.map(({ host }) => host);

describe('Upstream and its hosts', () => {
  for (const ending of DOWN)
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

  it('doesn’t count a failure against a host that has responded to another call in the meantime', async () => {
    const core = await openCore();
    core.service.ending = ({ about }) => (about === 'src_1' ? 'hang' : undefined);
    await fetchFrom(core, 'src_2');
    const failed = fetchFrom(core);
    await core.clock.advance(100);
    await fetchFrom(core, 'src_2');
    assert.ok(!(await failed).ok);
    assert.equal(core.upstream.status().hosts[0]?.consecutiveFailures, 0);
  });

  it('returns calls to the budget if no host can take them, so that later calls aren’t blocked', async () => {
    const ids = Array.from({ length: 8 }, (_, index) => `src_${index}`);
    const core = await openCore({ ids });
    await fetchFrom(core, LIST);
    core.service.ending = () => ({ error: 'ECONNREFUSED' });
    for (const id of ids.slice(0, 3)) await fetchFrom(core, id);
    await core.clock.advance(7_500);
    // All of them find that the host can be tried again, but only the first one tries it.
    const before = core.service.calls.length;
    await overTime(core.clock, Promise.all(ids.slice(3).map((id) => core.upstream.fetch(id, { isAwaited: false }))));
    assert.equal(core.service.calls.length - before, 1);
    core.service.ending = () => undefined;
    await core.clock.advance(60_000);
    assert.ok((await fetchFrom(core)).ok);
  });

  it('counts a 429 or a rejected key as a response from the host', async () => {
    for (const status of [429, 401]) {
      const core = await openFailing({ status: 500 });
      await fetchFrom(core);
      core.service.ending = () => ({ status });
      await fetchFrom(core, 'src_2');
      const [host] = core.upstream.status().hosts;
      assert.deepEqual([host?.consecutiveFailures, host?.failure], [0, null]);
    }
  });

  it('doesn’t trust a 404 while the list also returns 404', async () => {
    const core = await openFailing({ status: 404, body: SPEC_ERROR });
    await fetchFrom(core, LIST);
    await core.clock.advance(10_000);
    const answer = await fetchFrom(core);
    assert.ok(!answer.ok && answer.code === 'not_found_everywhere');
  });
});

describe('Upstream with two hosts', () => {
  it('tries the other host within the same deadline', async () => {
    for (const ending of DOWN) {
      const core = await openCore({ hasAlt: true });
      core.service.ending = ({ host }) => (host === 'main' ? ending : undefined);
      const startedAt = core.clock.now();
      const answer = await fetchFrom(core);
      assert.ok(answer.ok && answer.host === 'alt');
      assert.ok(core.clock.now() - startedAt < 5_000);
    }
  });

  it('calls the other host first after a failure, and tries the main host again after a while', async () => {
    const core = await openCore({ hasAlt: true });
    core.service.ending = ({ host }) => (host === 'main' ? { status: 500 } : undefined);
    await fetchFrom(core);
    await fetchFrom(core, 'src_2');
    assert.deepEqual(hostsOf(core), ['main', 'alt', 'alt']);
    core.service.ending = () => undefined;
    await core.clock.advance(15_000);
    await fetchFrom(core, LIST, false);
    await fetchFrom(core);
    assert.deepEqual(hostsOf(core).slice(3), ['main', 'main']);
  });

  it('doesn’t try the other host after a 429 or a rejected key', async () => {
    for (const status of [429, 401, 403]) {
      const core = await openFailing({ status }, { hasAlt: true });
      await fetchFrom(core);
      assert.deepEqual(hostsOf(core), ['main']);
    }
  });

  it('counts a timeout only if the call had at least half of the deadline left', async () => {
    const core = await openFailing('hang', { hasAlt: true });
    await fetchFrom(core);
    const [main, alt] = core.upstream.status().hosts;
    assert.deepEqual([main?.consecutiveFailures, alt?.consecutiveFailures], [1, 0]);
    const { budget, clock } = core;
    assert.equal(budget.take(clock.now()), 0);
    assert.notEqual(budget.take(clock.now()), 0, 'a timeout isn’t a response');
  });

  it('tries a host as soon as it is due if the other one fails, even for a source that failed before', async () => {
    const core = await openFailing({ status: 500 }, { hasAlt: true });
    for (const target of ['src_1', 'src_2']) await fetchFrom(core, target);
    core.service.ending = ({ host }) => (host === 'alt' ? { status: 500 } : undefined);
    await core.clock.advance(15_000);
    const answer = await fetchFrom(core);
    assert.ok(answer.ok && answer.host === 'main');
    assert.deepEqual(hostsOf(core), ['main', 'alt', 'alt', 'alt', 'main']);
  });

  it('calls neither host while both are down, and draws no conclusions about the service', async () => {
    const core = await openFailing({ status: 500 }, { hasAlt: true });
    for (const target of ['src_1', 'src_3']) await fetchFrom(core, target);
    const last = await fetchFrom(core, 'src_4');
    assert.ok(!last.ok && last.retryInMs > 5_000, 'it waits as long as the hosts');
    const calls = core.service.calls.length;
    const other = await fetchFrom(core, 'src_2');
    assert.ok(!other.ok && other.code === 'server_error');
    assert.equal(core.service.calls.length, calls);
    assert.ok(core.upstream.hosts.areAllDown);
    assert.equal(core.upstream.status().hosts[0]?.failure?.status, 500);
  });
});

describe('Upstream when a keep-alive connection is closed', () => {
  const reset = { error: 'ECONNRESET' } as const;

  it('retries the call once on a fresh connection and counts the retry against the budget', async () => {
    const core = await openCore();
    await fetchFrom(core, 'src_2');
    core.service.ending = ({ usesNewConnection }) => (usesNewConnection ? undefined : reset);
    assert.ok((await fetchFrom(core)).ok);
    const areNew = core.service.calls.map(({ usesNewConnection }) => usesNewConnection);
    assert.deepEqual(areNew, [false, false, true]);
    assert.equal(core.upstream.status().budget.used, 3);
    assert.equal(core.upstream.status().hosts[0]?.consecutiveFailures, 0);
  });

  it('doesn’t retry the call if its connection was already fresh', async () => {
    const core = await openFailing(reset);
    assert.ok(!(await fetchFrom(core)).ok);
    assert.equal(core.service.calls.length, 1);
    core.service.ending = () => undefined;
    await core.clock.advance(20_000);
    await fetchFrom(core, 'src_2');
    core.service.ending = () => reset;
    await fetchFrom(core, 'src_2');
    assert.equal(core.service.calls.length, 4);
    assert.equal(core.upstream.status().hosts[0]?.consecutiveFailures, 1);
  });
});
