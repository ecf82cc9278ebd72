import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { BffProcess } from '../bench/process/bff-process.ts';
import { type RecordingUpstream, startUpstream } from '../bench/upstream/recording-upstream.ts';
import { type RedisServer, startRedis } from '../packages/bff/src/testing/redis-server.ts';

const RULES = join(import.meta.dirname, 'monitoring/alerts.yml');

/** How long a trouble may take to show on a busy machine, in ms. */
const TIMEOUT_MS = 120_000;

/** What a trouble is made with. */
interface Scene {
  readonly upstream: RecordingUpstream;
  readonly redis: RedisServer;
  readonly stateDir: string;
}

interface Trouble {
  /** Variables of the BFF beside those that all have. */
  readonly env?: (redis: RedisServer) => Readonly<Record<string, string>>;
  readonly make: (scene: Scene) => unknown;
  /** The headline of the status page, and the log line that begins with it. */
  readonly headline: RegExp;
  /** The one alert that fires. */
  readonly alert: string;
}

const TROUBLES: Readonly<Record<string, Trouble>> = {
  'The key is refused': {
    make: ({ upstream }) => upstream.fail('both', { kind: 'status', status: 401 }),
    headline: /The service refuses the API key\./,
    alert: 'PulseKeyRefused',
  },
  'The service is down': {
    make: ({ upstream }) => upstream.fail('both', { kind: 'refuse' }),
    headline: /The service has not answered /,
    alert: 'PulseServiceDown',
  },
  'Redis is gone': {
    // A new Redis lets calls through after one window.
    env: ({ url }) => ({ REDIS_URL: url, PULSE_RATE_WINDOW_MS: '2000' }),
    make: ({ redis }) => redis.kill(),
    headline: /Redis has been lost for /,
    alert: 'PulseRedisLost',
  },
  'The state folder takes no files': {
    make: ({ stateDir }) => {
      rmSync(stateDir, { recursive: true });
      writeFileSync(stateDir, 'no folder');
    },
    headline: /The state folder takes no files/,
    alert: 'PulseStateDirFails',
  },
  'All readers count as one, for want of TRUST_PROXY': {
    // The readers below come through a proxy, too many for one client.
    env: () => ({ TRUST_PROXY: '', PULSE_CLIENT_RATE: '5' }),
    make: () => {},
    headline: /% of the requests of the last 5 minutes got no chart, /,
    alert: 'PulseReadersWithoutChart',
  },
};

describe('Each trouble is in the headline, in one log line and in one alert', () => {
  for (const [name, { env = () => ({}), make, headline, alert }] of Object.entries(TROUBLES))
    it(name, async (test) => {
      await using stack = new AsyncDisposableStack();
      const stateDir = mkdtempSync(join(tmpdir(), 'pulse-troubles-'));
      stack.defer(() => rmSync(stateDir, { recursive: true, force: true }));
      const redis = stack.use(await startRedis());
      const upstream = await startUpstream({ sources: 3, latencyMs: [1, 5] });
      stack.defer(() => upstream.close());
      const bff = await BffProcess.start({
        upstream,
        env: { PULSE_STATE_DIR: stateDir, PULSE_FRESH_MS: '1000', TRUST_PROXY: '1', ...env(redis) },
      });
      stack.defer(() => bff.stop());
      const read = () =>
        fetch(`${bff.url}/v1/sources/${upstream.ids[0]}/pulse`, { headers: { 'x-forwarded-for': '203.0.113.7' } });
      await until(bff, async () => (await fetch(`${bff.url}/readyz`)).ok);
      await until(bff, async () => (await read()).ok);
      await make({ upstream, redis, stateDir });
      await until(bff, async () => {
        await read();
        const { problems } = (await (await fetch(`${bff.adminUrl}/status`)).json()) as Status;
        return problems.some((problem) => headline.test(problem.headline));
      });
      await until(bff, async () => bff.lastLines.some((line) => headline.test(line)));
      const metrics = await (await fetch(`${bff.adminUrl}/metrics`)).text();
      assert.deepEqual(alertsFor(metrics), [alert]);
      const line = bff.lastLines.find((each) => headline.test(each)) ?? '{}';
      test.diagnostic(`${alert}: ${(JSON.parse(line) as { msg: string }).msg}`);
    });
});

interface Status {
  readonly problems: readonly { readonly headline: string }[];
}

/** The names of the alerts that fire where the gauges stay as they are for half an hour. */
function alertsFor(metrics: string): string[] {
  const rules = readFileSync(RULES, 'utf8');
  const gauges = Array.from(metrics.matchAll(/^(pulse_bff_\w+) ([\d.]+)$/gm), ([, name = '', value = '']) => ({
    name,
    value,
  }));
  const watched = gauges.filter(({ name }) => new RegExp(`\\b${name}\\b`).test(rules));
  assert.ok(watched.length > 8, metrics);
  const folder = mkdtempSync(join(tmpdir(), 'pulse-rules-'));
  const series = watched.map(({ name, value }) => ({ series: name, values: `${value}x30` }));
  // promtool prints what there is where it expects nothing.
  const query = { expr: 'ALERTS{alertstate="firing"}', eval_time: '30m', exp_samples: [] };
  const tests = [{ interval: '1m', input_series: series, promql_expr_test: [query] }];
  // JSON is YAML.
  writeFileSync(join(folder, 'test.yml'), JSON.stringify({ rule_files: [RULES], evaluation_interval: '1m', tests }));
  const { stdout, stderr } = spawnSync('promtool', ['test', 'rules', 'test.yml'], { cwd: folder, encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  return Array.from((stdout + stderr).matchAll(/alertname="(\w+)"/g), ([, name = '']) => name);
}

async function until(bff: BffProcess, isSo: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + TIMEOUT_MS;
  while (!(await isSo().catch(() => false))) {
    if (performance.now() > end) throw new Error(`Waited in vain:\n${bff.lastLines.join('\n')}`);
    await pause(250);
  }
}
