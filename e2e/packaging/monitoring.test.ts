import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, it } from 'node:test';
import { BffProcess } from '@pulse-card/testkit/bff-process';
import { SERVICE_KEY, startFakeService } from '@pulse-card/testkit/service/fake-service';
import { startRedis } from '@pulse-card/testkit/redis-server';
import { ROOT } from '@pulse-card/testkit/root';

const RULES = join(ROOT, 'deploy/monitoring/alerts.yml');
const TESTS = join(import.meta.dirname, 'alerts.test.yml');

describe('deploy/monitoring/alerts.yml', () => {
  it('contains rules that Prometheus accepts', () => {
    assert.match(promtool(['check', 'rules', RULES]), /SUCCESS/);
  });

  it('fires an alert for each problem, and none while everything is healthy (alerts.test.yml)', () => {
    assert.match(promtool(['test', 'rules', TESTS]), /SUCCESS/);
  });

  it('links each alert to the docs at the operator’s URL', () => {
    const folder = mkdtempSync(join(tmpdir(), 'pulse-rules-'));
    const address = 'https://wiki.example.com/pulse/docs';
    for (const [file, from, to] of [
      [RULES, `address: ''`, `address: ${address}`],
      [TESTS, 'runbook_url: docs/', `runbook_url: ${address}/`],
    ] as const) {
      const text = readFileSync(file, 'utf8').replace('../../deploy/monitoring/', '');
      assert.ok(text.includes(from), file);
      writeFileSync(join(folder, basename(file)), text.replace(from, to));
    }
    assert.match(promtool(['test', 'rules', join(folder, 'alerts.test.yml')]), /SUCCESS/);
    rmSync(folder, { recursive: true });
  });
});

describe('/metrics of a BFF with a key file and Redis', () => {
  it('passes promtool’s check', async () => {
    await using stack = new AsyncDisposableStack();
    const folder = mkdtempSync(join(tmpdir(), 'pulse-metrics-'));
    stack.defer(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'key'), SERVICE_KEY);
    const redis = stack.use(await startRedis());
    const upstream = await startFakeService({ sources: 3 });
    stack.defer(() => upstream.close());
    const env = { PULSE_API_KEY_FILE: join(folder, 'key'), REDIS_URL: redis.url, PULSE_API_KEY_EXPIRES: '2099-01-01' };
    const bff = await BffProcess.start({ upstream, env });
    stack.defer(() => bff.stop());
    for (const id of [...upstream.ids, 'src_unknown']) await fetch(`${bff.url}/v1/sources/${id}/pulse`);
    const metrics = await (await fetch(`${bff.adminUrl}/metrics`)).text();
    assert.match(metrics, /^pulse_bff_redis_joined /m);
    assert.equal(promtool(['check', 'metrics'], metrics), '');
  });
});

/** Returns what promtool prints. Rejects if promtool finds an error. */
function promtool(args: readonly string[], input = ''): string {
  const { status, stdout, stderr } = spawnSync('promtool', args, { input, encoding: 'utf8' });
  assert.equal(status, 0, stdout + stderr);
  return stdout + stderr;
}
