import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { freePorts } from '../../testkit/src/free-port.ts';
import { SERVICE_KEY } from '../../testkit/src/service/fake-service.ts';
import { until } from '../../testkit/src/until.ts';
import { ask, folder, Net, pulsePath, TOKEN_KEY, tokenVariables, withToken } from './kit.ts';

const PULSE = pulsePath('src_001');
const MAIN = join(import.meta.dirname, '../src/main.ts');

describe('A signal', { concurrency: 2 }, () => {
  it('SIGHUP doesn’t stop a server but makes it reread the key, token, and withheld files', async () => {
    const [key, withheld] = [join(folder(), 'key'), join(folder(), 'withheld')];
    writeFileSync(key, SERVICE_KEY);
    writeFileSync(withheld, '');
    const tokens: Record<string, string> = tokenVariables([{ ...TOKEN_KEY, kid: 'other' }]);
    const env = { ...tokens, PULSE_API_KEY_FILE: key, PULSE_WITHHELD_FILE: withheld, PULSE_KEY_RELOAD_MS: '3600000' };
    await using net = await Net.start({ env });
    net.service.keys.set('key-b-0123456789abcdef', { list: true, pulses: true });
    const run = net.service.account.deliver('src_001', { aiSummaryShort: 'a wrong text' });
    writeFileSync(key, 'key-b-0123456789abcdef');
    writeFileSync(withheld, `${run}\n`);
    writeFileSync(tokens['PULSE_TOKEN_KEYS_FILE'] ?? '', JSON.stringify([TOKEN_KEY]));
    net.bff.signal('SIGHUP');
    const token = await withToken(['src_001']);
    await until('the new files are used', async () => {
      const { status, json } = await net.get(PULSE, token);
      const isNewKeyUsed = net.service.calls.at(-1)?.key === 'key-b-0123456789abcdef';
      return status === 200 && json.pulse.withheld === true && isNewKeyUsed;
    });
    assert.equal(net.bff.exitCode, null);
    for (const path of [key, withheld]) writeFileSync(path, '');
    writeFileSync(tokens['PULSE_TOKEN_KEYS_FILE'] ?? '', '{');
    net.bff.signal('SIGHUP');
    await pause(500);
    assert.equal((await net.get(PULSE, token)).status, 200, 'files that can’t be read keep their last content');
  });

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
