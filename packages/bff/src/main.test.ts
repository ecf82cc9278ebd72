import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { connect, isIPv4 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { StatusDocument } from './index.ts';
import { type BffProcess, runToEnd, startBffAndService, UNREACHABLE } from './testing/bff-process.ts';
import { answerWell, startFakeService } from './testing/fake-service.ts';
import { until } from '../../testkit/src/until.ts';
import { runCommand } from './testing/run-command.ts';
import { serve } from './testing/serve.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

describe('pulse-bff', () => {
  it('prints its version', async () => {
    const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
    const { version } = JSON.parse(manifest) as { version: string };
    assert.deepEqual(await runToEnd({}, ['--version']), { code: 0, stdout: `${version}\n`, stderr: '' });
  });

  it('prints one line with the required Node version if Node is older', () => {
    const old = `data:text/javascript,Object.defineProperty(process.versions, 'node', { value: '22.18.0' })`;
    const main = fileURLToPath(new URL('./main.ts', import.meta.url));
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', old, main], { encoding: 'utf8' });
    assert.deepEqual([status, stdout, stderr], [1, '', 'pulse-bff needs Node 22.19 or newer; this is 22.18.0\n']);
  });

  it('continues if the reader of its output has exited', () => {
    const main = fileURLToPath(new URL('./main.ts', import.meta.url));
    const piped = '"$0" --conditions=source "$1" token explain x | true';
    const env = { PATH: process.env['PATH'] };
    assert.equal(spawnSync('sh', ['-c', piped, process.execPath, main], { encoding: 'utf8', env }).stderr, '');
  });

  it('exits with 2 for an unknown command, and suggests the nearest command in one line', async () => {
    const { code, stdout, stderr } = await runToEnd({}, ['chekc']);
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, /^unknown command 'chekc' \(Did you mean check\?\)\nRun pulse-bff --help for all commands\n$/);
  });

  it('exits with 2 if a key is among the arguments, and doesn’t repeat the key (T-09)', async () => {
    const { code, stdout, stderr } = await runToEnd({}, ['serve', '--key=canary']);
    assert.equal(code, 2);
    assert.doesNotMatch(stdout + stderr, /canary/);
  });
});

describe('pulse-bff serve', () => {
  it('T-10, T-66: exits with 2 and a line for each invalid or misspelled variable', async () => {
    const variables = { PULSE_API_KEY: 'canary\r\nX: y', PULSE_BASEURL: 'https://canary.test', PORT: 'canary' };
    const { code, stdout, stderr } = await runToEnd(variables);
    assert.equal(code, 2);
    const [key, ...others] = stderr.trimEnd().split('\n');
    assert.match(key ?? '', /^PULSE_API_KEY: /);
    assert.deepEqual(others, [
      'PULSE_BASE_URL: is required',
      'PORT: must be a whole number from 0 to 65535',
      'PULSE_BASEURL is not a variable of pulse-bff; the nearest is PULSE_BASE_URL',
    ]);
    assert.doesNotMatch(stdout + stderr, /canary/);
  });

  for (const variable of ['PORT', 'PULSE_ADMIN_PORT'])
    it(`exits with 1 and one line if the port of ${variable} is in use`, async () => {
      await using taken = await serve(() => {});
      const ended = await runToEnd({ ...UNREACHABLE, HOST: '127.0.0.1', [variable]: String(taken.port) });
      assert.equal(ended.code, 1);
      assert.equal(ended.stderr, `Cannot listen on port ${taken.port} (${variable}): it is taken\n`);
    });

  it('exits with 2 and one line if PULSE_API_KEY_FILE is unusable', async () => {
    const { code, stderr } = await runToEnd({
      ...UNREACHABLE,
      PULSE_API_KEY: '',
      PULSE_API_KEY_FILE: '/nonexistent/key',
    });
    assert.equal(code, 2);
    assert.match(stderr, /^PULSE_API_KEY_FILE: [^\n]+\n$/);
  });

  it('starts with an unusable state folder, and reports the problem in its log and /status', async () => {
    await using bff = await startBffAndService({ PULSE_STATE_DIR: '/dev/null/state' });
    await until('it serves', async () => (await fetch(`${bff.url}/v1/sources/src_1/pulse`)).status === 200);
    await until('it is logged', () => bff.output().includes('The state folder is not writable (ENOTDIR)'));
    const status = (await (await fetch(`${bff.adminUrl}/status`)).json()) as StatusDocument;
    assert.equal(status.stateDirFault, 'ENOTDIR');
  });

  it('starts even if each file of the state folder is a FIFO', async () => {
    using folder = temporaryFolder();
    for (const name of ['state.json', 'alerts.json']) execFileSync('mkfifo', [join(folder.path, name)]);
    await using bff = await startBffAndService({ PULSE_STATE_DIR: folder.path });
    await until('it serves', async () => (await fetch(`${bff.url}/v1/sources/src_1/pulse`)).status === 200);
  });

  it('exits with 2 for a short secret in PULSE_TOKEN_KEYS_FILE, without repeating it (T-09)', async () => {
    using folder = temporaryFolder();
    const PULSE_TOKEN_KEYS_FILE = folder.file('keys.json', JSON.stringify([{ kid: 'a', secret: 'canary' }]));
    const { code, stdout, stderr } = await runToEnd({ ...UNREACHABLE, PULSE_ACCESS: 'token', PULSE_TOKEN_KEYS_FILE });
    assert.equal(code, 2);
    assert.match(stderr, /^PULSE_TOKEN_KEYS_FILE: [^\n]+\n$/);
    assert.doesNotMatch(stdout + stderr, /canary/);
  });

  it('reports a misspelled variable, a rejected origin, and an unknown proxy in its log and /status', async () => {
    await using bff = await startBffAndService({ PULSE_ALOWED_ORIGINS: 'https://canary.test' });
    const headers = { Origin: 'http://localhost:8123', 'X-Forwarded-For': '192.0.2.7' };
    assert.equal((await fetch(`${bff.url}/v1/sources`, { headers })).status, 403);
    const { warnings, refusals } = (await (await fetch(`${bff.adminUrl}/status`)).json()) as StatusDocument;
    assert.deepEqual(refusals, { origin_forbidden: { 'http://localhost:8123': 1 } });
    assert.match(warnings[0] ?? '', /^PULSE_ALOWED_ORIGINS is not .* PULSE_ALLOWED_ORIGINS$/);
    assert.match(warnings[1] ?? '', /a proxy that TRUST_PROXY does not include/);
    bff.signal('SIGTERM');
    await bff.ended;
    const refusal = 'http://localhost:8123 is not in PULSE_ALLOWED_ORIGINS. If this site is yours, add it and restart';
    for (const line of [...warnings, refusal]) assert.equal(bff.output().split(line).length, 2, line);
    assert.doesNotMatch(bff.output(), /canary|192\.0\.2\.7/);
  });

  it('stops in order: becomes unready immediately, finishes pending responses, and exits with 0', async () => {
    const held: (() => void)[] = [];
    const variables = { PULSE_UPSTREAM_TIMEOUT_MS: '60000', PULSE_DRAIN_MS: '1500' };
    await using bff = await startBffAndService(variables, (asked, response) => {
      if (asked.url === '/v1/sources') answerWell(asked, response);
      else held.push(() => answerWell(asked, response));
    });
    const underWay = fetch(`${bff.url}/v1/sources/src_1/pulse`);
    await until('the call', () => held.length > 0);
    // Half of a request is sent before the stop, so that this test can read the response even if its own process is
    // slow.
    const { hostname, port } = new URL(bff.url);
    const probe = connect(Number(port), hostname);
    probe.write('GET /readyz HTTP/1.1\r\nHost: localhost\r\n');
    await once(probe, 'connect');
    bff.signal('SIGTERM');
    while ((await fetch(`${bff.url}/readyz`).catch(() => undefined))?.status === 200);
    probe.write('\r\n');
    assert.match(await text(probe), /^HTTP\/1\.1 503 .*^Connection: close\r$/ms);
    for (const answer of held) answer();
    const response = await underWay;
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('Connection'), 'close');
    assert.ok(((await response.json()) as { pulse: object }).pulse);
    assert.equal((await bff.ended).code, 0);
  });

  it('ends immediately at the second signal', async () => {
    await using bff = await startBffAndService({ PULSE_DRAIN_MS: '600000' });
    // Two signals of the same kind that arrive together count as one.
    bff.signal('SIGTERM');
    bff.signal('SIGINT');
    assert.equal((await bff.ended).code, 1);
  });
});

describe('pulse-bff check', () => {
  it('exits with 0 if the key works, and suggests a change if the origin isn’t allowed', async () => {
    await using service = await startFakeService();
    const variables = { ...UNREACHABLE, PULSE_BASE_URL: service.url };
    const { code, stdout } = await runToEnd(variables, ['check', '--origin', 'https://www.site.test']);
    assert.equal(code, 0);
    assert.match(stdout, /^Account: canary\+owner@pii\.test/);
    assert.match(stdout, /is not in PULSE_ALLOWED_ORIGINS[^]*\nChange: PULSE_ALLOWED_ORIGINS=https:.*\n$/);
    assert.doesNotMatch(stdout, /canary-key/);
  });

  it('exits with 1 if the service doesn’t exist, and creates nothing', async () => {
    using folder = temporaryFolder();
    const state = { PULSE_STATE_DIR: `${folder.path}/state` };
    assert.equal((await runCommand({ ...UNREACHABLE, ...state }, ['check'])).code, 1);
    assert.deepEqual(readdirSync(folder.path), []);
  });
});

describe('pulse-bff health', () => {
  it('exits with 0 while the instance is ready', async () => {
    await using bff = await startBffAndService();
    await until('it is ready', async () => (await fetch(`${bff.url}/readyz`)).status === 200);
    const variables = { PORT: new URL(bff.url).port };
    assert.deepEqual(await runToEnd(variables, ['health']), { code: 0, stdout: 'Ready\n', stderr: '' });
  });

  it('exits with 1 if nothing listens', async () => {
    const { code, stderr } = await runCommand({ PORT: '2' }, ['health']);
    assert.deepEqual([code, stderr], [1, 'Cannot reach http://127.0.0.1:2/readyz (ECONNREFUSED)\n']);
  });

  it('exits with 2 if the port is unknown', async () => {
    const { code, stderr } = await runCommand({ PORT: '0' }, ['health']);
    assert.deepEqual([code, stderr.split(':')[0]], [2, 'PORT']);
  });
});

describe('pulse-bff token', () => {
  it('warns about a misspelled variable when it mints a token', async () => {
    using folder = temporaryFolder();
    const keys = folder.file('keys.json', JSON.stringify([{ kid: 'a', secret: 'canary-secret-of-32-bytes-and-more' }]));
    const variables = { PULSE_TOKEN_KEYS_FILE: keys, PULSE_PUBLICURL: 'https://pulse.test' };
    const { code, stderr } = await runCommand(variables, ['token', 'mint', '--all-sources']);
    const warning = 'PULSE_PUBLICURL is not a variable of pulse-bff; the nearest is PULSE_PUBLIC_URL\n';
    assert.deepEqual([code, stderr], [0, warning]);
  });

  it('exits with 0 for an accepted token, 1 for a rejected one, and 2 without options', async () => {
    using folder = temporaryFolder();
    const keys = folder.file('keys.json', JSON.stringify([{ kid: 'a', secret: 'canary-secret-of-32-bytes-and-more' }]));
    const variables = { PULSE_TOKEN_KEYS_FILE: keys, PULSE_PUBLIC_URL: 'https://pulse.test' };
    const use = '--source src_1 src_2 --origin https://a.test --lifetime 60 --kid a';
    const minted = await runCommand(variables, ['token', 'mint', ...use.split(' ')]);
    assert.deepEqual([minted.code, minted.stderr], [0, '']);
    const token = minted.stdout.trim();
    const accepted = await runCommand(variables, ['token', 'explain', token]);
    assert.equal(accepted.code, 0);
    for (const line of ['Sources: src_1, src_2', 'Origins: https://a.test', 'The token is accepted.'])
      assert.ok(accepted.stdout.split('\n').includes(line), line);
    assert.equal((await runCommand(variables, ['token', 'explain', `${token}x`])).code, 1);
    assert.equal((await runCommand({}, ['token', 'explain', token])).code, 2);
    assert.deepEqual(readdirSync(folder.path), ['keys.json']);
  });
});

describe('The private port', () => {
  it('serves the status, the metrics, and a page', async () => {
    await using bff = await startBffAndService({ PULSE_FRESH_MS: '86400000' });
    for (const _ of ['miss', 'hit']) await fetch(`${bff.url}/v1/sources/src_1/pulse`);
    const { summary, key, answers } = (await (await fetch(`${bff.adminUrl}/status`)).json()) as StatusDocument;
    assert.equal(summary.headline, 'All is well. Nothing to do.');
    assert.deepEqual([key, answers], [{ state: 'accepted' }, { miss: 1, hit: 1 }]);
    const metrics = await (await fetch(`${bff.adminUrl}/metrics`)).text();
    const line = 'pulse_bff_answers_total{route="/v1/sources/:sourceId/pulse",status="200",cache="hit"} 1';
    assert.ok(metrics.includes(line));
    assert.match(metrics, /^nodejs_eventloop_lag_p99_seconds /m);
    assert.equal((await fetch(`${bff.adminUrl}/none`)).status, 404);
    assert.equal((await fetch(bff.adminUrl, { method: 'POST' })).status, 405);
  });
});

describe('The private port’s address', () => {
  const statusAt = ({ adminUrl }: BffProcess, address: string) =>
    fetch(`http://${address}:${new URL(adminUrl).port}/status`).then(
      ({ status }) => status,
      ({ cause }: { cause: NodeJS.ErrnoException }) => cause.code,
    );
  const ofThisMachine = Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address));
  /** This machine's addresses other than the loopback address. */
  const others = ['127.0.0.2', ...ofThisMachine.filter((address) => isIPv4(address) && !address.startsWith('127.'))];

  it('T-01: is loopback by default', async () => {
    await using bff = await startBffAndService();
    assert.equal(await statusAt(bff, '127.0.0.1'), 200);
    for (const address of others) assert.equal(await statusAt(bff, address), 'ECONNREFUSED', address);
  });

  it('is PULSE_ADMIN_HOST if set, and the log names it', async () => {
    await using bff = await startBffAndService({ PULSE_ADMIN_HOST: '0.0.0.0' });
    for (const address of others) assert.equal(await statusAt(bff, address), 200, address);
    assert.match(bff.output(), /The private port listens on 0\.0\.0\.0 \(PULSE_ADMIN_HOST\)/);
  });

  it('is reported together with its variable if this machine doesn’t have that address', async () => {
    const ended = await runToEnd({ ...UNREACHABLE, PULSE_ADMIN_HOST: '192.0.2.1' });
    assert.equal(ended.code, 1);
    assert.match(ended.stderr, /^Cannot listen on port 0 \(PULSE_ADMIN_PORT\): .*\(PULSE_ADMIN_HOST\)\n$/);
  });
});
