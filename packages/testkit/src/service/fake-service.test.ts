import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';
import { WELL } from './fault.ts';
import { SERVICE_KEY, startFakeService } from './fake-service.ts';

const service = await startFakeService({ sources: 12, limit: 30 });
after(() => service.close());
beforeEach(() => service.recover());

const ask = async (path: string, base = service.url, key = SERVICE_KEY) => {
  const answer = await fetch(base + path, { headers: { 'x-api-key': key } });
  const text = await answer.text();
  return { status: answer.status, text, headers: answer.headers };
};

describe('FakeService', () => {
  it('responds as the spec requires: ten sources, the latest pulse, and rate headers', async () => {
    const list = await ask('/v1/sources');
    assert.equal(JSON.parse(list.text).sources.length, 10);
    const run = service.account.deliver('src_012', { aiSummaryShort: 'Orders fell' });
    const pulse = await ask('/v1/sources/src_012/pulse');
    assert.equal(JSON.parse(pulse.text).pulse.jobRunId, run);
    assert.equal(pulse.headers.get('x-ratelimit-limit'), '30');
  });

  it('can fail for only one target or on only one host', async () => {
    await service.fail({ kind: 'status', status: 500 }, { target: 'pulse:src_001', host: 'A' });
    assert.equal((await ask('/v1/sources/src_001/pulse')).status, 500);
    assert.equal((await ask('/v1/sources/src_002/pulse')).status, 200);
    assert.equal((await ask('/v1/sources/src_001/pulse', service.urls.B)).status, 200);
    await service.fail(WELL, { target: 'pulse:src_001' });
    assert.equal((await ask('/v1/sources/src_001/pulse')).status, 200);
  });

  it('rejects or resets connections after recording them', async () => {
    await service.fail({ kind: 'refuse' }, { host: 'A' });
    await assert.rejects(ask('/v1/sources'));
    assert.equal((await ask('/v1/sources', service.urls.B)).status, 200);
    const before = service.calls.length;
    await service.fail({ kind: 'reset' });
    await assert.rejects(ask('/v1/sources'));
    assert.ok(service.calls.length > before);
  });

  it('enforces each key’s permissions and rejects other keys', async () => {
    service.keys.set('pulses-only', { list: false, pulses: true });
    assert.equal((await ask('/v1/sources', service.url, 'other')).status, 401);
    assert.equal((await ask('/v1/sources', service.url, 'pulses-only')).status, 403);
    assert.equal((await ask('/v1/sources/src_001/pulse', service.url, 'pulses-only')).status, 200);
  });

  it('counts calls to both hosts in one window', async () => {
    service.spend(40, 'pulses-only');
    assert.equal((await ask('/v1/sources/src_001/pulse', service.urls.B, 'pulses-only')).status, 429);
  });
});
