import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fetchFrom, openCore, openFailing, spendBudget } from '../testing/core.ts';
import { SPEC_ERROR } from '../testing/fake-service.ts';
import { overTime } from '../testing/virtual-clock.ts';
import { LIST } from './target.ts';

describe('Upstream when the budget is spent', () => {
  it('makes readers wait only if there is nothing to show', async () => {
    const core = await openCore();
    spendBudget(core);
    const planned = await fetchFrom(core, 'src_2', false);
    assert.ok(!planned.ok && planned.code === 'out_of_calls');
    assert.ok((await fetchFrom(core)).ok);
  });

  it('gives the full deadline to a call that had to wait', async () => {
    const core = await openCore();
    spendBudget(core);
    core.service.latencyMs = 4_500;
    assert.ok((await fetchFrom(core)).ok);
  });

  it('wakes up all waiting callers as soon as a response allows a burst', async () => {
    const ids = Array.from({ length: 10 }, (_, index) => `src_${index}`);
    const core = await openCore({ ids, isCold: true });
    const startedAt = core.clock.now();
    const page = await overTime(core.clock, Promise.all(ids.map((id) => core.upstream.fetch(id, { isAwaited: true }))));
    assert.ok(page.every(({ ok }) => ok));
    assert.ok(core.clock.now() - startedAt < 3_000);
  });

  it('reports for two windows that the BFF is starting, even if no response has rate-limit headers', async () => {
    const core = await openCore({ isCold: true });
    core.service.hasHeaders = false;
    assert.equal(core.upstream.whyNoCall('src_1')?.code, 'starting');
    assert.ok((await fetchFrom(core)).ok);
    await core.clock.advance(121_000);
    spendBudget(core);
    assert.equal(core.upstream.whyNoCall('src_1')?.code, 'out_of_calls');
  });

  it('during a pause, reports that the service is limiting calls', async () => {
    const core = await openFailing({ status: 429, headers: { 'Retry-After': '20' } });
    core.service.hasHeaders = false;
    const first = await fetchFrom(core);
    assert.ok(!first.ok && first.retryInMs >= 20_000);
    const { code, retryInMs } = core.upstream.whyNoCall('src_2') ?? {};
    assert.equal(code, 'rate_limited');
    assert.ok((retryInMs ?? 0) >= 20_000);
    await core.clock.advance(19_000);
    core.service.ending = () => undefined;
    await fetchFrom(core, 'src_2', false);
    assert.equal(core.service.calls.length, 1);
  });

  it('reports how long all calls have been returning 429', async () => {
    const core = await openFailing({ status: 429, headers: { 'Retry-After': '20' } });
    core.service.hasHeaders = false;
    assert.equal(core.upstream.status().limitedForMs, undefined);
    for (const target of ['src_1', 'src_2', 'src_3']) {
      await fetchFrom(core, target);
      await core.clock.advance(21_000);
    }
    assert.equal(core.service.calls.length, 3);
    assert.ok((core.upstream.status().limitedForMs ?? 0) >= 63_000);
    core.service.ending = () => undefined;
    await fetchFrom(core, LIST);
    assert.equal(core.upstream.status().limitedForMs, undefined);
  });

  it('pauses for only a second after a 429 from a gateway, whose rate headers describe its own limits', async () => {
    const headers = { 'X-RateLimit-Limit': '60', 'X-RateLimit-Remaining': '0' };
    const pauses: number[] = [];
    for (const body of ['<html>', SPEC_ERROR]) {
      const core = await openFailing({ status: 429, body, headers });
      await fetchFrom(core);
      pauses.push(core.upstream.status().budget.pausedForMs);
    }
    const [ofGateway = 0, ofService = 0] = pauses;
    assert.ok(ofGateway > 0 && ofGateway <= 1_000 && ofService > 50_000, pauses.join());
  });
});
