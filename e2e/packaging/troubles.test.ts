import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { BffProcess } from '@pulse-card/testkit/bff-process';
import { type FakeService, startFakeService } from '@pulse-card/testkit/service/fake-service';
import type { Config } from '@pulse-card/bff/config';
import { memoryText } from '@pulse-card/bff/stored-text';
import { openAlerts } from '@pulse-card/bff/alerts';
import type { StatusDocument } from '@pulse-card/bff';
import { type RedisServer, startRedis } from '@pulse-card/testkit/redis-server';
import { type Outgoing } from '@pulse-card/bff/outgoing';
import { Secret } from '@pulse-card/bff/secret';
import { testLog } from '@pulse-card/bff/testing/test-log';
import { createVirtualClock } from '@pulse-card/bff/testing/virtual-clock';
import { ROOT } from '@pulse-card/testkit/root';
import { until } from '@pulse-card/testkit/until';

const RULES = join(ROOT, 'deploy/monitoring/alerts.yml');

/** How long a problem can take to appear on a busy machine, in ms. */
const TIMEOUT_MS = 120_000;

/** The tools that a test can use to cause a problem. */
interface Scene {
  readonly upstream: FakeService;
  readonly redis: RedisServer;
  readonly stateDir: string;
}

interface Trouble {
  /** Additional BFF variables for this problem. */
  readonly env?: (redis: RedisServer) => Readonly<Record<string, string>>;
  /** Causes the problem. Called when readers see charts. */
  readonly make: (scene: Scene) => unknown;
  /** The headline of the status page. A log line begins with the same text. */
  readonly headline: RegExp;
  readonly advice: RegExp;
  /** The only alert that fires. Undefined if a stranger could cause the problem, so that no alert fires. */
  readonly alert: string | undefined;
  /** Whether the BFF also sends a message to a chat. */
  readonly isTold: boolean;
}

const TROUBLES: Readonly<Record<string, Trouble>> = {
  'The key is rejected': {
    make: ({ upstream }) => upstream.fail({ kind: 'status', status: 401 }),
    headline: /^The service is rejecting calls: it rejects the API key \(401\)\./,
    advice: /^Create a new key and set PULSE_API_KEY.* Readers keep the last charts for another 10 minutes\.$/,
    alert: 'PulseKeyRefused',
    isTold: true,
  },
  'The service is down': {
    make: ({ upstream }) => upstream.fail({ kind: 'refuse' }),
    headline: /^The service has been failing for .*: no connection can be made/,
    advice: /^Readers keep the last charts for another 24 hours\. Check that the server/,
    alert: 'PulseServiceDown',
    isTold: true,
  },
  'Redis is down': {
    // If Redis is new, the BFF isn't allowed to make calls until one window has passed.
    env: ({ url }) => ({ REDIS_URL: url, PULSE_RATE_WINDOW_MS: '2000' }),
    make: ({ redis }) => redis.kill(),
    headline: /^Redis has been unavailable for .*: no connection can be made/,
    advice: /^Check that the server in REDIS_URL runs.* works without Redis/,
    alert: 'PulseRedisLost',
    isTold: false,
  },
  'The disk is full': {
    make: ({ stateDir }) => fillUp(join(stateDir, 'filler')),
    headline: /^The state folder isn’t usable \(ENOSPC\): its disk is full\./,
    advice: /^Free disk space\. /,
    alert: 'PulseStateDirFails',
    isTold: false,
  },
  'All readers count as one, because TRUST_PROXY is not set': {
    // The BFF counts all readers below as one client, because they come through one proxy. Together, they exceed the
    // limit for one client.
    env: () => ({ TRUST_PROXY: '', PULSE_CLIENT_RATE: '5' }),
    make: () => {},
    headline:
      /^Requests come through a proxy that TRUST_PROXY doesn’t include, so all readers behind it share one rate limit/,
    advice: /^Set TRUST_PROXY to the number of proxies in front, for example TRUST_PROXY=1\./,
    alert: undefined,
    isTold: false,
  },
};

describe('A problem is shown on the status page, in the log, and by alerts', () => {
  for (const [name, { env = () => ({}), make, headline, advice, alert, isTold }] of Object.entries(TROUBLES))
    it(name, async (test) => {
      await using stack = new AsyncDisposableStack();
      const stateDir = stack.adopt(mountSmallDisk(), unmount);
      const redis = stack.use(await startRedis());
      const upstream = await startFakeService({ sources: 3 });
      stack.defer(() => upstream.close());
      const bff = await BffProcess.start({
        upstream,
        env: { PULSE_STATE_DIR: stateDir, PULSE_FRESH_MS: '1000', TRUST_PROXY: '1', ...env(redis) },
      });
      stack.defer(() => bff.stop());
      const read = () =>
        fetch(`${bff.url}/v1/sources/${upstream.ids[0]}/pulse`, { headers: { 'x-forwarded-for': '203.0.113.7' } });
      const readStatus = async () => (await (await fetch(`${bff.adminUrl}/status`)).json()) as StatusDocument;
      const isReady = async () => (await fetch(`${bff.url}/readyz`)).ok;
      const patience = { withinMs: TIMEOUT_MS, everyMs: 250, lines: () => bff.lastLines };
      await until('the BFF is ready', isReady, patience);
      await until('there is a pulse', async () => (await read()).ok, patience);
      await make({ upstream, redis, stateDir });
      await until(
        'the status has the headline',
        async () => {
          await read();
          return headline.test((await readStatus()).summary.headline);
        },
        patience,
      );
      await until('the log has the headline', () => messages(bff).some((line) => headline.test(line)), patience);
      const status = await readStatus();
      assert.match(status.summary.advice, advice);
      assert.ok(await isReady());
      const metrics = await (await fetch(`${bff.adminUrl}/metrics`)).text();
      assert.deepEqual(alertsFor(metrics), alert === undefined ? [] : [alert]);
      const told = await messageAbout(status);
      assert.equal(told?.includes(status.summary.headline) ?? false, isTold, told);
      test.diagnostic(`log: ${messages(bff).find((line) => headline.test(line))}`);
      test.diagnostic(`Prometheus: ${alert ?? 'no alert'}; chat: ${told ?? 'no message'}`);
    });
});

/** The messages in the last log lines. */
function messages(bff: BffProcess): string[] {
  return bff.lastLines.flatMap((line) => (line.startsWith('{') ? [(JSON.parse(line) as { msg: string }).msg] : []));
}

/** Mounts a 64 KiB disk. Returns its folder. */
function mountSmallDisk(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pulse-troubles-'));
  asRoot('mount', '-t', 'tmpfs', '-o', 'size=64k,mode=777', 'tmpfs', folder);
  const stateDir = join(folder, 'state');
  mkdirSync(stateDir);
  return stateDir;
}

function unmount(stateDir: string): void {
  const folder = join(stateDir, '..');
  asRoot('umount', folder);
  rmSync(folder, { recursive: true });
}

function asRoot(...command: readonly string[]): void {
  const [program = '', ...args] = process.getuid?.() === 0 ? command : ['sudo', '-n', ...command];
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
}

/** Writes until the disk is full. */
function fillUp(path: string): void {
  const block = Buffer.alloc(4_096);
  assert.throws(
    () => {
      for (;;) appendFileSync(path, block);
    },
    { code: 'ENOSPC' },
  );
}

/** The message that a chat gets about these problems after 12 minutes. Undefined if the chat doesn't get one. */
async function messageAbout({ problems }: StatusDocument): Promise<string | undefined> {
  const clock = createVirtualClock();
  const sent: string[] = [];
  const outgoing = {
    fetch: async (_url: URL, { body }: { body?: unknown }) => {
      sent.push((JSON.parse(String(body)) as { text: string }).text);
      return new Response('');
    },
  } as unknown as Outgoing;
  const alerts = await openAlerts({
    config: {
      publicUrl: 'https://pulse.test',
      alertUrl: new Secret('https://hooks.test/'),
      alertUrlFile: undefined,
    } as Config,
    clock,
    outgoing,
    log: testLog().log,
    text: memoryText(),
  });
  for (let minute = 0; minute <= 12; minute += 1) {
    await alerts.look(problems, { hasAnswered: true });
    await clock.advance(60_000);
  }
  assert.ok(sent.length <= 1);
  return sent[0];
}

/** The names of the alerts that fire if the gauges stay as they are for half an hour. */
function alertsFor(metrics: string): string[] {
  const rules = readFileSync(RULES, 'utf8');
  const gauges = Array.from(metrics.matchAll(/^(pulse_bff_\w+) ([\d.]+)$/gm), ([, name = '', value = '']) => ({
    name,
    value,
  }));
  const watched = gauges.filter(({ name }) => new RegExp(`\\b${name}\\b`).test(rules));
  assert.ok(watched.length > 8, metrics);
  const folder = mkdtempSync(join(tmpdir(), 'pulse-rules-'));
  const series = [{ name: 'up{job="pulse-bff"}', value: '1' }, ...watched].map(({ name, value }) => ({
    series: name,
    values: `${value}x30`,
  }));
  // The test expects no alerts, so promtool prints the actual ones.
  const query = { expr: 'ALERTS{alertstate="firing"}', eval_time: '30m', exp_samples: [] };
  const tests = [{ interval: '1m', input_series: series, promql_expr_test: [query] }];
  // Every JSON document is also YAML.
  writeFileSync(join(folder, 'test.yml'), JSON.stringify({ rule_files: [RULES], evaluation_interval: '1m', tests }));
  const { stdout, stderr } = spawnSync('promtool', ['test', 'rules', 'test.yml'], { cwd: folder, encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  return Array.from((stdout + stderr).matchAll(/alertname="(\w+)"/g), ([, name = '']) => name);
}
