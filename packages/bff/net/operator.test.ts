import assert from 'node:assert/strict';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { CERTIFICATE } from '../../testkit/src/service/certificate.ts';
import { SERVICE_KEY } from '../../testkit/src/service/fake-service.ts';
import { folder, type Net, pulsePath, startNet } from './kit.ts';

const PULSE = pulsePath('src_001');
const ROOT = join(import.meta.dirname, '../../..');

/** The parts of `/status` that the status page and operators' scripts read. */
const FIELDS = {
  '': 'summary problems ready key list unreadableRows sources hosts at version uptimeMs stopping warnings chartsLastMs lastHour images outcomes readersToday redis refusedCharts alerts keyExpiry degraded budget refusals turnedAway',
  summary: 'level headline advice',
  'sources.0':
    'sourceId name provider status freshness hasPulse readersSee ageMs requestedAt nextRefreshInMs viewsPerMinute lastFailure',
  'hosts.0': 'host state lastAnswerAt openForMs failure',
  budget: 'limit reserve windowMs left reserved spent free others pausedForMs history',
  'budget.history.0': 'at spent',
  key: 'state',
  lastHour: 'fresh stale waited refused failed',
  alerts: 'host sent failure',
};

let net: Net;
before(async () => {
  const path = join(folder(), 'key');
  writeFileSync(path, SERVICE_KEY);
  const env = {
    PULSE_API_KEY_FILE: path,
    PULSE_STATE_DIR: folder(),
    PULSE_ALERT_URL: 'https://hooks.example.com/x',
    PULSE_API_KEY_EXPIRES: '2099-01-31',
    REDIS_URL: 'redis://127.0.0.1:2',
    LOG_LEVEL: 'debug',
  };
  net = await startNet({ env, speed: 1 });
  await net.eventually(PULSE);
});
after(() => net[Symbol.asyncDispose]());

describe('What operators read', () => {
  it('/metrics includes every metric that deploy/monitoring and the docs mention', async () => {
    const { text } = await net.admin('/metrics');
    const files = [
      ...globSync('deploy/monitoring/*', { cwd: ROOT }),
      ...globSync('docs/**/monitor*.md', { cwd: ROOT }),
    ];
    const named = files.flatMap((file) => readFileSync(join(ROOT, file), 'utf8').match(/pulse_bff_[a-z_]+/g) ?? []);
    assert.ok(named.length > 20);
    const known = new Set([...text.matchAll(/^# TYPE (pulse_bff_\w+)/gm)].map(([, name]) => name));
    for (const name of new Set(named)) {
      const base = name.replace(/_(bucket|sum|count)$/, '');
      assert.ok(known.has(name) || known.has(base), name);
    }
  });

  for (const [path, names] of Object.entries(FIELDS))
    it(`/status: ${path || 'the document'} has the fields that the status page needs`, async () => {
      const value = path
        .split('.')
        .filter(Boolean)
        .reduce((all, name) => all?.[name], (await net.admin('/status')).json);
      for (const name of names.split(' ')) assert.ok(name in value, `${path} ${name}`);
    });

  it('the log contains one JSON object per line: "listening", and each response at the debug level', async () => {
    await net.get(PULSE);
    const lines = net.bff.lastLines.map((line) => JSON.parse(line));
    for (const { level, time, msg } of lines) assert.ok(level >= 10 && Date.parse(time) > 0 && msg.length > 0);
    const listening = lines.find(({ msg }) => msg === 'listening');
    assert.deepEqual([typeof listening.port, typeof listening.adminPort], ['number', 'number']);
    const answered = lines.find(({ msg, route }) => msg === 'answered' && route === '/v1/sources/:sourceId/pulse');
    for (const name of ['method', 'route', 'status', 'ms']) assert.ok(name in answered, name);
    assert.doesNotMatch(JSON.stringify(lines), /127\.0\.0\.1"/, 'clients’ IP addresses are shortened');
  });
});

describe('Settings', { concurrency: 2 }, () => {
  it('NODE_EXTRA_CA_CERTS can name the file with the service’s certificate', async () => {
    const path = join(folder(), 'ca.pem');
    writeFileSync(path, CERTIFICATE);
    await using net = await startNet({ service: { isSecure: true }, env: { NODE_EXTRA_CA_CERTS: path } });
    await net.eventually(PULSE);
  });

  it('PULSE_DRAIN_MS is how long a stopping server reports that it isn’t ready but keeps responding, before it exits with 0', async () => {
    await using net = await startNet({ env: { PULSE_DRAIN_MS: '5000' } });
    await net.eventually(PULSE);
    await net.eventually('/readyz');
    const begun = performance.now();
    net.bff.signal('SIGTERM');
    assert.match((await net.eventually('/readyz', 503)).text, /This server is stopping/);
    assert.equal((await net.get(PULSE)).status, 200);
    assert.equal((await net.get('/healthz')).status, 200);
    assert.equal(await net.bff.ended, 0);
    const ms = performance.now() - begun;
    assert.ok(ms >= 4_900, String(ms));
  });
});
