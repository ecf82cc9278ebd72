import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fetchFrom, openCore, openFailing } from '../testing/core.ts';
import { type Ending, SPEC_ERROR } from '../testing/fake-service.ts';
import { overTime } from '../testing/virtual-clock.ts';
import { failed } from './failure.ts';
import { LIST } from './target.ts';

describe('Upstream', () => {
  it('returns the service’s response, with its owner and the time of the request', async () => {
    const core = await openCore();
    const before = core.clock.now();
    const answer = await fetchFrom(core);
    assert.ok(answer.ok);
    assert.deepEqual([answer.requestedAt, answer.keyName, answer.host], [before, core.key.name, 'main']);
    assert.ok(answer.account !== undefined && !answer.account.includes('account A'));
    assert.equal(core.clock.pending(), 0);
    core.service.hasHeaders = false;
    await fetchFrom(core, 'src_2');
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
      const core = await openFailing(ending);
      const failure = await fetchFrom(core);
      assert.ok(!failure.ok);
      assert.deepEqual([failure.code, failure.host], [code, 'main']);
      if (status !== undefined) assert.equal(failure.status, status);
      assert.ok(failure.retryInMs > 0);
    });

  it('backs off longer each time a target fails, and starts over after a response', async () => {
    const core = await openFailing({ status: 200, body: { pulse: 7 } });
    // A failure that the target didn’t cause.
    core.upstream.backoffs.failed('src_1', failed('timeout'), { beganAt: core.clock.now(), waitMs: 7_500 });
    const waits: number[] = [];
    for (let failures = 0; failures < 6; failures += 1) {
      // Another target proves that the host works.
      core.service.ending = ({ about }) => (about === 'src_1' ? { status: 200, body: { pulse: 7 } } : undefined);
      await fetchFrom(core, 'src_2');
      await core.clock.advance(30_000);
      const failure = await fetchFrom(core);
      if (!failure.ok) waits.push(failure.retryInMs);
    }
    assert.deepEqual(waits, [1_500, 3_000, 6_000, 12_000, 22_500, 22_500]);
    assert.ok((core.upstream.backoffs.last('src_1')?.forMs ?? 0) > 150_000);
    core.service.ending = () => undefined;
    await core.clock.advance(30_000);
    assert.ok((await fetchFrom(core)).ok);
    assert.equal(core.upstream.backoffs.last('src_1'), undefined);
  });

  it('retries a failing source only after its own delays, and the next source as soon as that one recovers', async () => {
    const core = await openFailing({ status: 400, body: SPEC_ERROR });
    for (const id of ['src_2', 'src_1']) await fetchFrom(core, id);
    for (const waitMs of [1_500, 3_000]) {
      const again = await fetchFrom(core);
      assert.deepEqual([!again.ok && again.code, core.upstream.whyNoCall('src_1')?.code], ['invalid', 'invalid']);
      await core.clock.advance(waitMs);
      await fetchFrom(core);
    }
    assert.equal(core.service.callsAbout('src_1'), 3);
    await core.clock.advance(6_000);
    core.service.ending = () => undefined;
    for (const id of ['src_1', 'src_2']) assert.ok((await fetchFrom(core, id)).ok, id);
  });

  it('doesn’t make the list wait for a failing source', async () => {
    const core = await openFailing({ status: 400, body: SPEC_ERROR });
    for (const target of ['src_1', LIST]) await fetchFrom(core, target);
    await core.clock.advance(1_500);
    for (const target of ['src_1', LIST]) await fetchFrom(core, target);
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

  it('stops making calls and cancels pending ones when it is closed', async () => {
    const core = await openFailing('hang');
    const underWay = core.upstream.fetch('src_1', { isAwaited: true });
    await core.clock.advance(10);
    core.upstream.close();
    const closedAt = core.clock.now();
    const ended = await overTime(core.clock, underWay);
    assert.ok(!ended.ok && ended.code === 'stopping');
    assert.ok(core.clock.now() - closedAt < 100);
    const after = await fetchFrom(core, 'src_2');
    assert.ok(!after.ok && after.code === 'stopping');
  });

  it('reports both calls that were made and calls that weren’t allowed', async () => {
    const core = await openFailing({ status: 500 });
    const seen: unknown[] = [];
    const { events } = core.upstream;
    events.on('called', ({ host, kind, outcome, durationMs }) => seen.push([host, kind, outcome, durationMs]));
    events.on('refused', (code) => seen.push(code));
    await fetchFrom(core);
    await fetchFrom(core);
    assert.deepEqual(seen, [['main', 'pulse', 'server_error', 100], 'server_error']);
  });
});
