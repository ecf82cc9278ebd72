import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { KEY, runProcess, UNREACHABLE } from '../testing/bff-process.ts';
import { runCommand } from '../testing/run-command.ts';
import { answersWith, startFakeService } from '../testing/fake-service.ts';
import { until } from '../../../testkit/src/until.ts';
import { type TemporaryFolder, temporaryFolder } from '../testing/temporary-folder.ts';
import { createProgress } from './export.ts';

let folder: TemporaryFolder;
beforeEach(() => (folder = temporaryFolder()));
afterEach(() => folder.remove());

/** Runs the command with the folder as its first argument. */
const exportWith = (variables: Record<string, string>, ...options: string[]) =>
  runCommand({ ...UNREACHABLE, ...variables }, ['export', folder.path, ...options]);

describe('pulse-bff export', () => {
  it('uses neither the state folder nor the webhook', async () => {
    await using service = await startFakeService(answersWith({ success: false, error: 'no' }, 401));
    await using webhook = await startFakeService();
    using state = temporaryFolder();
    const alertFile = state.file('alert-url', `${webhook.url}/hook`);
    const variables = { PULSE_STATE_DIR: `${state.path}/state`, PULSE_ALERT_URL_FILE: alertFile };
    await exportWith({ PULSE_BASE_URL: service.url, ...variables });
    assert.deepEqual([readdirSync(state.path), webhook.arrivals.length], [['alert-url'], 0]);
  });

  it('exits with 1 and says what to do if the key is rejected', async () => {
    await using service = await startFakeService(answersWith({ success: false, error: KEY }, 401));
    const { code, stdout, stderr } = await exportWith({ PULSE_BASE_URL: service.url });
    assert.equal(code, 1);
    assert.match(stdout, /pulse-bff check[^]*\nNothing was written: /);
    assert.deepEqual(readdirSync(folder.path), []);
    assert.ok(!(stdout + stderr).includes(KEY));
  });

  for (const [why, variables, options, says] of [
    ['no configuration', { PULSE_BASE_URL: '' }, [], /^PULSE_BASE_URL: /],
    ['charts without image hosts and a public address', {}, ['--images'], /^PULSE_IMAGE_HOSTS: .*\nPULSE_PUBLIC_URL: /],
    ['a missing key file', { PULSE_API_KEY: '', PULSE_API_KEY_FILE: '/none' }, [], /^PULSE_API_KEY_FILE: /],
    [
      'private pulses, because a file can’t require a token',
      { PULSE_ACCESS: 'token', PULSE_TOKEN_KEYS_FILE: '/none', PULSE_ALLOWED_ORIGINS: 'https://a.test' },
      [],
      /^PULSE_ACCESS: /,
    ],
  ] as const satisfies readonly (readonly [string, Record<string, string>, string[], RegExp])[])
    it(`exits with 2 and writes nothing: ${why}`, async () => {
      const { code, stderr } = await exportWith(variables, ...options);
      assert.equal(code, 2);
      assert.match(stderr, says);
      assert.deepEqual(readdirSync(folder.path), []);
    });

  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
    it(`exits with 1 and removes its lock on ${signal}`, async () => {
      await using service = await startFakeService(() => {});
      await using exporting = runProcess({ ...UNREACHABLE, PULSE_BASE_URL: service.url }, ['export', folder.path]);
      await until('it asks', () => service.arrivals.length > 0);
      assert.notDeepEqual(readdirSync(folder.path), []);
      exporting.signal(signal);
      const { code, stderr } = await exporting.ended;
      assert.deepEqual(
        [code, stderr],
        [1, 'The export was stopped. The files that it has written are complete, and the others are unchanged\n'],
      );
      assert.deepEqual(readdirSync(folder.path), []);
    });
});

describe('createProgress()', () => {
  it('overwrites its progress line on a terminal, but never a printed message', () => {
    let text = '';
    const progress = createProgress({ isTTY: true, write: (part) => (text += part) });
    progress.at(1, 2, 'src_1');
    progress.print('src_1 failed');
    progress.at(2, 2, 'src_2');
    assert.equal(text, '\r\u001B[K[1/2] src_1\r\u001B[Ksrc_1 failed\n\r\u001B[K[2/2] src_2');
  });
});
