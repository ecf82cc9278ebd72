import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pulseSchema, sourceSchema } from '@pulse-card/contract';
import { createPulseBff } from '../index.ts';
import { startTestUpstream, type TestFailure } from './test-upstream.ts';

const HEADERS = { 'X-API-Key': 'key-of-a-test' };

describe('startTestUpstream()', () => {
  it('responds like the service', async () => {
    await using upstream = await startTestUpstream({
      sources: ['src_1', { id: 'src_2', status: 'BROKEN', name: null }],
      pulses: [{ sourceId: 'src_1', aiSummaryShort: 'Up.' }],
    });
    const get = async (path: string): Promise<Record<string, never>> =>
      (await fetch(upstream.url + path, { headers: HEADERS })).json();
    const { sources } = (await get('/v1/sources')) as Record<string, unknown[]>;
    const statuses = sources?.map((source) => sourceSchema.parse(source)).map(({ id, status }) => `${id} ${status}`);
    assert.deepEqual(statuses, ['src_1 ACTIVE', 'src_2 BROKEN']);
    const { pulse } = await get('/v1/sources/src_1/pulse');
    assert.equal(pulseSchema.parse(pulse).aiSummaryShort, 'Up.');
    assert.deepEqual(await get('/v1/sources/src_2/pulse'), { success: false, error: 'No pulse found for this source' });
    assert.deepEqual(upstream.requests, ['/v1/sources', '/v1/sources/src_1/pulse', '/v1/sources/src_2/pulse']);
  });

  it('rejects another key', async () => {
    await using upstream = await startTestUpstream();
    assert.equal((await fetch(`${upstream.url}/v1/sources`)).status, 401);
  });

  for (const [failure, code] of [
    ['unreachable', 'upstream_unavailable'],
    ['unavailable', 'upstream_unavailable'],
    ['key_refused', 'upstream_auth'],
    ['rate_limited', 'upstream_rate_limited'],
    ['hanging', 'upstream_unavailable'],
  ] as const satisfies readonly (readonly [TestFailure, string])[]) {
    it(`makes a mounted BFF respond with ${code} for the failure ${failure}`, async () => {
      await using upstream = await startTestUpstream();
      const timeout = { PULSE_UPSTREAM_TIMEOUT_MS: failure === 'hanging' ? '50' : '5000' };
      const bff = createPulseBff({ ...upstream.variables, ...timeout, PULSE_SOURCES: 'src_1' });
      upstream.fail(failure);
      const outcome = await bff.pulse('src_1');
      assert.equal(!outcome.ok && outcome.code, code);
      await bff.close();
    });
  }

  it('can fail for a single source until that source recovers', async () => {
    await using upstream = await startTestUpstream({ sources: ['src_1', 'src_2'] });
    const status = async (id: string) =>
      (await fetch(`${upstream.url}/v1/sources/${id}/pulse`, { headers: HEADERS })).status;
    upstream.fail('unavailable', 'src_1');
    assert.deepEqual([await status('src_1'), await status('src_2')], [503, 200]);
    upstream.recover();
    assert.equal(await status('src_1'), 200);
  });
});
