import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { RunsAnswer } from '@pulse-card/contract';
import inject from 'light-my-request';
import { openBff } from '../../bff.ts';
import { readConfig } from '../../config.ts';
import { startTestUpstream } from '../../testing/test-upstream.ts';
import { until } from '../../../../testkit/src/until.ts';

async function open(t: TestContext, variables: Readonly<Record<string, string>>) {
  const service = await startTestUpstream();
  const bff = await openBff(readConfig({ ...service.variables, PULSE_FRESH_MS: '1', ...variables }));
  t.after(async () => {
    await bff.close();
    await service.close();
  });
  const ask = async (path: string) => {
    const { statusCode, payload } = await inject(bff.app, `/v1/sources/src_1/${path}`);
    return { status: statusCode, text: payload };
  };
  return { bff, service, ask };
}

describe('GET /v1/sources/:sourceId/runs', () => {
  it('lists each run as soon as it is known, newest first, without a call to the service', async (t) => {
    const { service, ask } = await open(t, { PULSE_HISTORY: '5' });
    await ask('pulse');
    assert.match((await ask('runs')).text, /run_1/);
    service.deliver({ sourceId: 'src_1', jobRunId: 'run_2' });
    await until('run_2 is known', async () => (await ask('pulse')).text.includes('run_2'));
    const calls = service.requests.length;
    const { meta, runs } = JSON.parse((await ask('runs')).text) as RunsAnswer;
    assert.deepEqual([meta.complete, runs.map(({ jobRunId }) => jobRunId)], [false, ['run_2', 'run_1']]);
    assert.equal(service.requests.length, calls);
  });

  it('returns a 404 that names the variable if PULSE_HISTORY is 0', async (t) => {
    const { ask } = await open(t, {});
    await ask('pulse');
    const { status, text } = await ask('runs');
    assert.equal(status, 404);
    assert.match(text, /PULSE_HISTORY/);
  });
});
