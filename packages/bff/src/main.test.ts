import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runToEnd, startBffProcess } from './testing/bff-process.ts';
import { answerWell, startFakeService } from './testing/fake-service.ts';

const KEY = 'canary-key-0123456789';

describe('pulse-bff', () => {
  it('prints its version', async () => {
    const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
    const { version } = JSON.parse(manifest) as { version: string };
    assert.deepEqual(await runToEnd({}, ['--version']), { code: 0, stdout: `${version}\n`, stderr: '' });
  });

  it('says which Node it needs, in one line, on an older one', () => {
    const old = `data:text/javascript,Object.defineProperty(process.versions, 'node', { value: '22.18.0' })`;
    const main = fileURLToPath(new URL('./main.ts', import.meta.url));
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', old, main], { encoding: 'utf8' });
    assert.deepEqual([status, stdout, stderr], [1, '', 'pulse-bff needs Node 22.19 or newer; this is 22.18.0\n']);
  });

  it('lists its commands', async () => {
    const { code, stdout } = await runToEnd({}, ['--help']);
    assert.equal(code, 0);
    for (const command of ['serve', 'health', 'check', 'doctor', 'token', 'export'])
      assert.match(stdout, new RegExp(`^  ${command}`, 'm'));
  });

  it('ends with 2 and one line for a command that it does not know, with the nearest', async () => {
    const { code, stdout, stderr } = await runToEnd({}, ['chekc']);
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, /^unknown command 'chekc' \(Did you mean check\?\)\nRun pulse-bff --help for all commands\n$/);
  });

  it('names a misspelt variable, beside what is missing for that reason', async () => {
    const { code, stderr } = await runToEnd({ PULSE_API_KEY: KEY, PULSE_BASEURL: 'https://canary.test' });
    assert.equal(code, 2);
    assert.match(stderr, /^PULSE_BASE_URL: is required$/m);
    assert.match(stderr, /^PULSE_BASEURL is not a variable of pulse-bff; the nearest is PULSE_BASE_URL$/m);
    assert.doesNotMatch(stderr, /canary/);
  });
});

describe('pulse-bff serve', () => {
  it('T-10, T-66: ends with 2 and a line for each fault where the configuration is bad', async () => {
    const { code, stdout, stderr } = await runToEnd({ PULSE_API_KEY: 'canary\r\nX: y', PORT: 'canary' });
    assert.equal(code, 2);
    assert.deepEqual(
      stderr
        .trimEnd()
        .split('\n')
        .map((line) => line.split(':')[0]),
      ['PULSE_API_KEY', 'PULSE_BASE_URL', 'PORT'],
    );
    assert.doesNotMatch(stdout + stderr, /canary/);
  });

  for (const variable of ['PORT', 'PULSE_ADMIN_PORT']) {
    it(`ends with 1 and one line where the port of ${variable} is taken`, async () => {
      const taken = createServer().listen(0, '127.0.0.1');
      await new Promise((resolve) => {
        taken.once('listening', resolve);
      });
      const { port } = taken.address() as AddressInfo;
      const base = { PULSE_API_KEY: KEY, PULSE_BASE_URL: 'http://127.0.0.1:9', HOST: '127.0.0.1' };
      const ended = await runToEnd({ ...base, PORT: '0', PULSE_ADMIN_PORT: '0', [variable]: String(port) });
      taken.close();
      assert.equal(ended.code, 1);
      assert.equal(ended.stderr, `Cannot listen on port ${port} (${variable}): it is taken\n`);
    });
  }

  for (const [variable, path] of [
    ['PULSE_API_KEY_FILE', '/nonexistent/key'],
    ['PULSE_STATE_DIR', '/dev/null/state'],
  ] as const)
    it(`ends with 2 and one line where ${variable} can not be used`, async () => {
      const key = variable === 'PULSE_API_KEY_FILE' ? {} : { PULSE_API_KEY: KEY };
      const base = { ...key, PULSE_BASE_URL: 'http://127.0.0.1:9', PORT: '0', PULSE_ADMIN_PORT: '0' };
      const { code, stderr } = await runToEnd({ ...base, [variable]: path });
      assert.equal(code, 2);
      assert.match(stderr, new RegExp(`^${variable}: [^\\n]+\\n$`));
    });

  it('names a misspelt variable and a refused origin in its log and in /status', async () => {
    await using service = await startFakeService();
    await using bff = await startBffProcess({
      PULSE_API_KEY: KEY,
      PULSE_BASE_URL: service.url,
      PULSE_ALOWED_ORIGINS: 'https://canary.test',
    });
    const refused = await fetch(`${bff.url}/v1/sources`, {
      headers: { Origin: 'http://localhost:8123', 'X-Forwarded-For': '192.0.2.7' },
    });
    assert.equal(refused.status, 403);
    const status = (await (await fetch(`${bff.adminUrl}/status`)).json()) as {
      warnings: string[];
      refusals: Record<string, Record<string, number>>;
    };
    assert.deepEqual(status.refusals, { origin_forbidden: { 'http://localhost:8123': 1 } });
    assert.match(status.warnings[0] ?? '', /^PULSE_ALOWED_ORIGINS is not .* PULSE_ALLOWED_ORIGINS$/);
    assert.match(status.warnings[1] ?? '', /a proxy that TRUST_PROXY does not name/);
    bff.signal('SIGTERM');
    await bff.ended;
    for (const warning of [
      ...status.warnings,
      'http://localhost:8123 is not in PULSE_ALLOWED_ORIGINS; add it and restart',
    ])
      assert.equal(bff.output().split(warning).length, 2, warning);
    assert.doesNotMatch(bff.output(), /canary|192\.0\.2\.7/);
  });

  it('stops in order: not ready at once, what is under way answered, exit 0', async () => {
    await using service = await startFakeService();
    const held: (() => void)[] = [];
    service.answer = (asked, response) => {
      if (asked.url === '/v1/sources') answerWell(asked, response);
      else held.push(() => answerWell(asked, response));
    };
    const variables = { PULSE_API_KEY: KEY, PULSE_BASE_URL: service.url, PULSE_UPSTREAM_TIMEOUT_MS: '60000' };
    await using bff = await startBffProcess({ ...variables, PULSE_DRAIN_MS: '1500' });
    const underWay = fetch(`${bff.url}/v1/sources/src_1/pulse`);
    while (held.length === 0) await new Promise(setImmediate);
    // Half of a request, so that its answer is seen however late this process looks.
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

  it('ends at once at the second signal', async () => {
    await using service = await startFakeService();
    const variables = { PULSE_API_KEY: KEY, PULSE_BASE_URL: service.url, PULSE_DRAIN_MS: '600000' };
    await using bff = await startBffProcess(variables);
    // Two of a kind that come at once are one to a process.
    bff.signal('SIGTERM');
    bff.signal('SIGINT');
    assert.equal((await bff.ended).code, 1);
  });
});

describe('pulse-bff check', () => {
  it('ends with 0 where the key works, and prints the account', async () => {
    await using service = await startFakeService();
    const { code, stdout } = await runToEnd({ PULSE_API_KEY: KEY, PULSE_BASE_URL: service.url }, ['check']);
    assert.equal(code, 0);
    assert.match(stdout, /^Account: canary\+owner@pii\.test/);
    assert.doesNotMatch(stdout, /canary-key/);
  });

  it('ends with 0 for an origin that is not allowed, as the key works, and with the line to change', async () => {
    await using service = await startFakeService();
    const variables = { PULSE_API_KEY: KEY, PULSE_BASE_URL: service.url };
    const { code, stdout } = await runToEnd(variables, ['check', '--origin', 'https://www.site.test']);
    assert.equal(code, 0);
    assert.match(stdout, /is not in PULSE_ALLOWED_ORIGINS[^]*\nChange: PULSE_ALLOWED_ORIGINS=https:.*\n$/);
  });

  it('creates nothing', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pulse-bff-'));
    const variables = {
      PULSE_API_KEY: KEY,
      PULSE_BASE_URL: 'http://127.0.0.1:9',
      PULSE_STATE_DIR: join(folder, 'state'),
    };
    assert.equal((await runToEnd(variables, ['check'])).code, 1);
    assert.deepEqual(readdirSync(folder), []);
    rmSync(folder, { recursive: true });
  });
});

describe('pulse-bff health', () => {
  it('ends with 0 while the instance is ready', async () => {
    await using service = await startFakeService();
    await using bff = await startBffProcess({ PULSE_API_KEY: KEY, PULSE_BASE_URL: service.url });
    const variables = { PORT: new URL(bff.url).port, HOST: '127.0.0.1' };
    await untilReady(bff.url);
    assert.deepEqual(await runToEnd(variables, ['health']), { code: 0, stdout: 'Ready\n', stderr: '' });
  });

  it('ends with 1 where nothing listens, and with 2 where the port is not known', async () => {
    const unreachable = await runToEnd({ PORT: '9' }, ['health']);
    assert.deepEqual(
      [unreachable.code, unreachable.stderr],
      [1, 'Cannot reach http://127.0.0.1:9/readyz (ECONNREFUSED)\n'],
    );
    const unknown = await runToEnd({ PORT: '0' }, ['health']);
    assert.deepEqual([unknown.code, unknown.stderr.split(':')[0]], [2, 'PORT']);
  });
});

describe('pulse-bff token', () => {
  it('ends with 0 where a token is minted or accepted, with 1 where it is refused, with 2 where it is told too little', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pulse-bff-'));
    const variables = { PULSE_TOKEN_KEYS_FILE: join(folder, 'keys.json'), PULSE_PUBLIC_URL: 'https://pulse.test' };
    writeFileSync(
      variables.PULSE_TOKEN_KEYS_FILE,
      JSON.stringify([{ kid: 'a', secret: 'canary-secret-of-32-bytes-and-more' }]),
    );
    const use = '--source src_1 src_2 --origin https://a.test --lifetime 60 --kid a';
    const minted = await runToEnd(variables, ['token', 'mint', ...use.split(' ')]);
    assert.deepEqual([minted.code, minted.stderr], [0, '']);
    const token = minted.stdout.trim();
    const accepted = await runToEnd(variables, ['token', 'explain', token]);
    assert.equal(accepted.code, 0);
    for (const line of ['Sources: src_1, src_2', 'Origins: https://a.test', 'The token is accepted.'])
      assert.ok(accepted.stdout.split('\n').includes(line), line);
    assert.equal((await runToEnd(variables, ['token', 'explain', `${token}x`])).code, 1);
    assert.equal((await runToEnd({}, ['token', 'explain', token])).code, 2);
    assert.deepEqual(readdirSync(folder), ['keys.json']);
    rmSync(folder, { recursive: true });
  });
});

describe('The private port', () => {
  it('shows status, metrics and a page, to this machine alone', async () => {
    await using service = await startFakeService();
    const fresh = { PULSE_FRESH_MS: '86400000' };
    await using bff = await startBffProcess({ PULSE_API_KEY: KEY, PULSE_BASE_URL: service.url, ...fresh });
    await fetch(`${bff.url}/v1/sources/src_1/pulse`);
    await fetch(`${bff.url}/v1/sources/src_1/pulse`);
    const status = (await (await fetch(`${bff.adminUrl}/status`)).json()) as {
      key: unknown;
      answers: unknown;
      summary: { headline: string };
    };
    assert.equal(status.summary.headline, 'All is well. Nothing to do.');
    assert.deepEqual(status.key, { state: 'accepted' });
    assert.deepEqual(status.answers, { miss: 1, hit: 1 });
    const metrics = await (await fetch(`${bff.adminUrl}/metrics`)).text();
    const line = 'pulse_bff_answers_total{route="/v1/sources/:sourceId/pulse",status="200",cache="hit"} 1';
    assert.ok(metrics.includes(line));
    assert.match(metrics, /^nodejs_eventloop_lag_p99_seconds /m);
    assert.equal((await fetch(`${bff.adminUrl}/none`)).status, 404);
    assert.equal((await fetch(bff.adminUrl, { method: 'POST' })).status, 405);
    assert.equal(await statusForHost(`${bff.adminUrl}/status`, 'rebound.evil.test'), 403);
  });
});

async function untilReady(url: string): Promise<void> {
  while ((await fetch(`${url}/readyz`)).status !== 200) await new Promise(setImmediate);
}

describe('The address of the private port', () => {
  const start = async (variables: Record<string, string> = {}) => {
    const service = await startFakeService();
    const bff = await startBffProcess({ PULSE_API_KEY: KEY, PULSE_BASE_URL: service.url, ...variables });
    return {
      bff,
      statusAt: (address: string, host?: string) =>
        statusForHost(`http://${address}:${new URL(bff.adminUrl).port}/status`, host),
      [Symbol.asyncDispose]: async () => {
        await bff[Symbol.asyncDispose]();
        await service[Symbol.asyncDispose]();
      },
    };
  };
  /** Addresses of this machine other than the one that loopback is reached by. */
  const others = ['127.0.0.2', ...externalAddresses()];

  it('T-01: is loopback alone', async () => {
    await using started = await start();
    assert.equal(await started.statusAt('127.0.0.1'), 200);
    for (const address of others) assert.equal(await started.statusAt(address), 'ECONNREFUSED', address);
  });

  it('is that of PULSE_ADMIN_HOST, which the log says', async () => {
    await using started = await start({ PULSE_ADMIN_HOST: '0.0.0.0' });
    for (const address of others) assert.equal(await started.statusAt(address), 200, address);
    assert.match(started.bff.output(), /The private port listens on 0\.0\.0\.0 \(PULSE_ADMIN_HOST\)/);
  });

  it('is asked for by names that no unknown id can own', async () => {
    await using started = await start({ PULSE_ADMIN_HOST: '0.0.0.0' });
    const named = (host: string) => started.statusAt('127.0.0.1', `${host}:4021`);
    for (const host of [
      'localhost',
      '10.0.0.7',
      '[fd00::7]',
      'bff',
      'bff.monitoring.svc.cluster.local',
      'bff.internal',
    ])
      assert.equal(await named(host), 200, host);
    for (const host of ['rebound.evil.test', 'evil.com', 'localhost.evil.com', 'internal.evil.com'])
      assert.equal(await named(host), 403, host);
  });

  it('is named with its variable where this machine does not have it', async () => {
    const ended = await runToEnd({
      PULSE_API_KEY: KEY,
      PULSE_BASE_URL: 'http://127.0.0.1:9',
      PORT: '0',
      PULSE_ADMIN_PORT: '0',
      PULSE_ADMIN_HOST: '192.0.2.1',
    });
    assert.equal(ended.code, 1);
    assert.match(ended.stderr, /^Cannot listen on port 0 \(PULSE_ADMIN_PORT\): .*\(PULSE_ADMIN_HOST\)\n$/);
  });
});

function externalAddresses(): string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((ofOne) => ofOne ?? []);
  return addresses.filter(({ family, internal }) => family === 'IPv4' && !internal).map(({ address }) => address);
}

/** The status of an answer, or the code of the error that there was instead. */
function statusForHost(url: string, host = new URL(url).host): Promise<number | string | undefined> {
  return new Promise((resolve) => {
    request(url, { headers: { Host: host }, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', ({ code }: NodeJS.ErrnoException) => resolve(code))
      .end();
  });
}
