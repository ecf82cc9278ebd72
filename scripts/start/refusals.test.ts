import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { freePort } from '../free-port.ts';
import { ROOT } from '../run.ts';
import { START_PORTS } from './addresses.ts';

/** Runs the program of `npm start` with variables or an option that it rejects before it starts anything. */
function startRefused(env: Record<string, string>, option = '--skip-build') {
  const args = ['--conditions=source', join(ROOT, 'scripts/start.ts'), option];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    env: { PATH: process.env['PATH'], ...env },
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

describe('npm start with an unknown option', () => {
  it('suggests the nearest option', () => {
    for (const [option, nearest] of [
      ['--hepl', '--help'],
      ['--skip-biuld', '--skip-build'],
    ] as const)
      assert.deepEqual(startRefused({}, option).lines, [`Unknown option "${option}"; the nearest is "${nearest}"`]);
  });
});

describe('npm start with invalid variables', () => {
  it('warns about an unknown variable, and names two variables with the same port', () => {
    const { status, stdout, lines } = startRefused({ PULSE_ALOWED_ORIGINS: '*', PULSE_BFF_PORT: '4030' });
    assert.deepEqual(lines, [
      'PULSE_ALOWED_ORIGINS is not a variable of Pulse Card; the nearest is PULSE_ALLOWED_ORIGINS',
      'Cannot start: PULSE_BFF_PORT and PULSE_DEMO_PORT are both 4030; set one of them to another port',
    ]);
    assert.deepEqual([status, stdout], [2, '']);
  });

  it('ignores the variables for the service’s ports if it starts no service', () => {
    const hosted = { PULSE_BASE_URL: 'http://localhost:2', PULSE_API_KEY: 'a-key-that-is-one' };
    const ports = { PULSE_SERVICE_PORT: '4030', PULSE_BFF_PORT: '4040', PULSE_ADMIN_PORT: '4040' };
    const { lines } = startRefused({ ...hosted, ...ports });
    assert.match(lines.join('\n'), /^Cannot start: PULSE_BFF_PORT and PULSE_ADMIN_PORT are both 4040; /);
  });

  it('exits with 2 if the BFF rejects its configuration', async () => {
    const [bff, admin, demo] = await Promise.all([freePort(), freePort(), freePort()]);
    const folder = mkdtempSync(join(tmpdir(), 'start-'));
    const { status, lines } = startRefused({
      PULSE_BASE_URL: 'http://localhost:2',
      PULSE_API_KEY: 'a-key-that-is-one',
      PULSE_ALLOWED_ORIGINS: 'localhost:8124',
      PULSE_BFF_PORT: String(bff),
      PULSE_ADMIN_PORT: String(admin),
      PULSE_DEMO_PORT: String(demo),
      PULSE_DATA_DIR: folder,
    });
    rmSync(folder, { recursive: true });
    assert.match(lines.join('\n'), /PULSE_ALLOWED_ORIGINS: item 1 /);
    assert.equal(status, 2);
  });
});
