import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { sourcesBody } from '@pulse-card/contract/examples';
import { KEY, runToEnd, startBffProcess, UNREACHABLE } from '../testing/bff-process.ts';
import { account, startFakeService } from '../testing/fake-service.ts';
import { describeWithRedis } from '../testing/instances.ts';
import { until } from '../../../testkit/src/until.ts';
import { startRedis } from '../../../testkit/src/redis-server.ts';
import { type TemporaryFolder, temporaryFolder } from '../testing/temporary-folder.ts';

// An export contains the card's script, so these tests need a build.

let folder: TemporaryFolder;
beforeEach(() => (folder = temporaryFolder()));
afterEach(() => folder.remove());

/** Runs the command with the folder as its first argument. */
const exportWith = (variables: Record<string, string>) =>
  runToEnd({ ...UNREACHABLE, ...variables }, ['export', folder.path]);

describe('pulse-bff export', () => {
  it('exports everything with one call per source, and writes nothing private to its output or files', async () => {
    await using service = await startFakeService();
    const { code, stdout, stderr } = await exportWith({ PULSE_BASE_URL: service.url });
    assert.deepEqual([code, stderr], [0, '']);
    assert.equal(service.arrivals.length, 1 + sourcesBody.sources.length);
    assert.match(stdout, /^\[1\/2\] \S+\n\[2\/2\] \S+\n1 pulse in \S+\n$/);
    assert.ok(JSON.parse(readFileSync(`${folder.path}/v1/pulses`, 'utf8')));
    for (const text of [stdout, ...folder.texts()])
      for (const secret of [KEY, account.id, account.email]) assert.ok(!text.includes(secret));
  });
});

describeWithRedis('pulse-bff export with a REDIS_URL', () => {
  it('exports everything while an instance runs, and the instance continues to refresh', async () => {
    await using redis = await startRedis();
    await using service = await startFakeService();
    // The shared budget waits for a whole window if Redis is empty.
    const times = { PULSE_FRESH_MS: '1000', PULSE_RATE_WINDOW_MS: '4000' };
    const shared = { PULSE_API_KEY: KEY, PULSE_BASE_URL: service.url, REDIS_URL: redis.url, ...times };
    await using bff = await startBffProcess({ ...shared, PULSE_CLIENT_RATE: '0' });
    const pulse = () => fetch(`${bff.url}/v1/sources/src_1/pulse`);
    await until('the instance has a pulse', async () => (await pulse()).status === 200);
    const callsBefore = service.arrivals.length;
    const { code, stdout } = await exportWith(shared);
    assert.equal(code, 0, stdout);
    assert.match(stdout, /1 pulse in \S+\n$/);
    await until('the instance asks again', async () => {
      await pulse();
      return service.arrivals.length > callsBefore + 1 + sourcesBody.sources.length;
    });
  });
});
