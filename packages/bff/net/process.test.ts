import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { freePorts } from '../../testkit/src/free-port.ts';
import { until } from '../../testkit/src/until.ts';
import { ask, Net, pulsePath } from './kit.ts';

const PULSE = pulsePath('src_001');
const MAIN = join(import.meta.dirname, '../src/main.ts');

describe('A signal', { concurrency: 2 }, () => {
  it('SIGTERM ends the server within 10 s, even if its output is stuck', async () => {
    await using net = await Net.start();
    const env = { ...net.bff.env, PORT: '0', PULSE_ADMIN_PORT: '0', LOG_LEVEL: 'trace' };
    const child = spawn(process.execPath, ['--conditions=source', MAIN, 'serve'], {
      env: { PATH: process.env['PATH'], ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout.once('data', () => child.stdout.pause());
    const ended = new Promise((resolve) => child.once('exit', resolve));
    await new Promise((resolve) => void child.stdout.once('data', resolve));
    child.kill('SIGTERM');
    const late = await Promise.race([ended, pause(10_000, 'late')]);
    child.kill('SIGKILL');
    assert.equal(late, 0);
  });
});

describe('Output that can’t be written', { concurrency: 2 }, () => {
  for (const [what, stdio] of [
    ['a full disk', () => openSync('/dev/full', 'w')],
    ['a closed pipe', () => 'pipe' as const],
  ] as const)
    it(`is reported in the status and costs no reader a response: ${what}`, async () => {
      await using net = await Net.start();
      const [port, adminPort] = await freePorts(2);
      const ports = { PORT: String(port), PULSE_ADMIN_PORT: String(adminPort) };
      const env = { ...net.bff.env, ...ports, LOG_LEVEL: 'debug' };
      const child = spawn(process.execPath, ['--conditions=source', MAIN, 'serve'], {
        env: { PATH: process.env['PATH'], ...env },
        stdio: ['ignore', stdio(), 'ignore'],
      });
      child.stdout?.destroy();
      try {
        await until(
          'it answers',
          async () =>
            (await ask(`http://127.0.0.1:${port}${PULSE}`, { signal: AbortSignal.timeout(1_000) })).status === 200,
        );
        const status = await ask(`http://127.0.0.1:${adminPort}/status`);
        assert.match(status.text, /log/i);
        const ended = new Promise((resolve) => child.once('exit', resolve));
        child.kill('SIGTERM');
        assert.equal(await Promise.race([ended, pause(10_000, 'late')]), 0);
      } finally {
        child.kill('SIGKILL');
      }
    });
});
