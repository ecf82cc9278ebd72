import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ROOT } from '../run.ts';
import { UsageError } from '../usage.ts';
import { START_PORTS } from './addresses.ts';
import { preparePlan, warningsOf } from './plan.ts';

/** What `npm start` prints for variables that it rejects, and its exit code. Runs in this process, which is quicker. */
async function refusalOf(env: Record<string, string>): Promise<{ status: number; lines: string[] }> {
  const warnings = warningsOf(env);
  const error: unknown = await preparePlan(env).catch((reason: unknown) => reason);
  assert.ok(error instanceof Error, 'nothing was rejected');
  return { status: error instanceof UsageError ? 2 : 1, lines: [...warnings, ...error.message.split('\n')] };
}

/** Runs the program of `npm start` with variables or an option that it rejects before it starts anything. */
function startRefused(env: Record<string, string>, words: readonly string[] = []) {
  const args = ['--conditions=source', join(ROOT, 'scripts/start.ts'), ...words];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'], ...env },
    timeout: 60_000,
    encoding: 'utf8',
  });
  return { status, stdout, lines: stderr.trim().split('\n') };
}

describe('npm start -- --help', () => {
  it('lists every port and its variable, even before anything is installed', () => {
    const folder = mkdtempSync(join(tmpdir(), 'help-'));
    cpSync(join(ROOT, 'scripts'), join(folder, 'scripts'), { recursive: true });
    cpSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
    const { status, stdout } = spawnSync('npm', ['start', '--silent', '--', '--help'], {
      cwd: folder,
      encoding: 'utf8',
    });
    rmSync(folder, { recursive: true });
    assert.equal(status, 0);
    for (const { variable, fallback } of Object.values(START_PORTS))
      assert.match(stdout, new RegExp(`^ +${variable} .*${fallback}\\)$`, 'm'));
  });
});

describe('npm start with invalid variables', () => {
  it('warns about an unknown variable and reports two variables with the same port, before the build', () => {
    const { status, stdout, lines } = startRefused({ PULSE_ALOWED_ORIGINS: '*', PULSE_BFF_PORT: '4030' });
    assert.deepEqual(lines, [
      'PULSE_ALOWED_ORIGINS isn’t a variable of Pulse Card; did you mean PULSE_ALLOWED_ORIGINS?',
      'Can’t start: PULSE_BFF_PORT and PULSE_DEMO_PORT are both 4030; set one of them to another port',
    ]);
    assert.deepEqual([status, stdout], [2, '']);
  });

  it('warns about an unknown variable once, together with the errors in the BFF’s variables', async () => {
    const { lines } = await refusalOf({ PULSE_ALOWED_ORIGINS: '*', PULSE_ACCESS: 'open' });
    assert.deepEqual(lines, [
      'PULSE_ALOWED_ORIGINS isn’t a variable of Pulse Card; did you mean PULSE_ALLOWED_ORIGINS?',
      'PULSE_ACCESS: must be one of public, token',
    ]);
  });

  it('reports an error in the service’s variables', async () => {
    const { status, lines } = await refusalOf({ DATABASE_URL: 'mysql://db' });
    assert.deepEqual([status, lines], [2, ['DATABASE_URL: must be a postgres:// URL']]);
  });

  it('names the variable of a data folder that can’t be created', async () => {
    const { status, lines } = await refusalOf({ PULSE_DATA_DIR: import.meta.filename });
    assert.deepEqual([status, lines.length], [1, 1]);
    assert.match(lines[0] ?? '', /^Can’t start: the data folder \(PULSE_DATA_DIR\) can’t be created: .*EEXIST/);
  });

  it('suggests --help for unknown words', () => {
    const { status, lines } = startRefused({}, ['stat']);
    assert.deepEqual([status, lines], [2, ['npm start accepts no arguments, but got "stat"; see npm start -- --help']]);
  });

  it('ignores the variables for the service’s ports if it doesn’t start the service', async () => {
    const hosted = { PULSE_BASE_URL: 'http://localhost:2', PULSE_API_KEY: 'a-key-that-is-one' };
    const ports = { PULSE_SERVICE_PORT: '4030', PULSE_BFF_PORT: '4040', PULSE_ADMIN_PORT: '4040' };
    const { lines } = await refusalOf({ ...hosted, ...ports });
    assert.match(lines.join('\n'), /^Can’t start: PULSE_BFF_PORT and PULSE_ADMIN_PORT are both 4040; /);
  });

  it('reports ports that this user isn’t allowed to open', async (t) => {
    t.mock.method(Server.prototype, 'listen', function listen(this: Server, port: number, done: () => void) {
      process.nextTick(() => (port === 80 ? this.emit('error', { code: 'EACCES' }) : done()));
    });
    t.mock.method(Server.prototype, 'close', (done: () => void) => done());
    const { status, lines } = await refusalOf({ PULSE_BFF_PORT: '80' });
    assert.equal(status, 1);
    assert.match(lines[0] ?? '', /isn’t allowed to open these ports: 80 \(PULSE_BFF_PORT\)/);
  });

  it('reports ports in use and the process that uses the data folder', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'start-'));
    writeFileSync(join(folder, 'start.pid'), String(process.pid));
    const other = createServer().listen(0);
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const { status, stdout, lines } = startRefused({ PULSE_BFF_PORT: String(port), PULSE_DATA_DIR: folder });
    other.close();
    assert.match(lines[0] ?? '', new RegExp(` in use: .*${port} \\(PULSE_BFF_PORT\\)`));
    assert.match(
      lines[1] ?? '',
      new RegExp(`is already running with the data folder ${folder} \\(process ${process.pid}\\)`),
    );
    assert.deepEqual([status, stdout, lines.length, readdirSync(folder)], [1, '', 2, ['start.pid']]);
    rmSync(folder, { recursive: true });
  });
});
