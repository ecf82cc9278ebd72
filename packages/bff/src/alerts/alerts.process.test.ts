import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { StatusDocument } from '../observability/status.ts';
import { runToEnd, startBffProcess } from '../testing/bff-process.ts';
import { answerWell, startFakeService } from '../testing/fake-service.ts';

function temporaryFolder(): { path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'alerts-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true }) };
}

describe('pulse-bff serve with PULSE_ALERT_URL', () => {
  it('T-01 shows the host of the webhook and nothing else of its address', async () => {
    await using service = await startFakeService(answerWell);
    await using bff = await startBffProcess({
      PULSE_API_KEY: 'canary-key-0123456789',
      PULSE_BASE_URL: service.url,
      PULSE_ALERT_URL: 'https://hooks.example.com/services/canarypath?token=canaryquery',
      LOG_LEVEL: 'trace',
    });
    const status = await (await fetch(`${bff.adminUrl}/status`)).text();
    const metrics = await (await fetch(`${bff.adminUrl}/metrics`)).text();
    assert.equal((JSON.parse(status) as StatusDocument).alerts.host, 'hooks.example.com');
    assert.doesNotMatch(status + metrics + bff.output(), /canarypath|canaryquery/);
  });

  it('ends with 2 where the file of the address holds none', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'hook');
    writeFileSync(path, 'canary\n');
    const base = { PULSE_API_KEY: 'canary-key-0123456789', PULSE_BASE_URL: 'http://127.0.0.1:9' };
    const ended = await runToEnd({ ...base, PORT: '0', PULSE_ADMIN_PORT: '0', PULSE_ALERT_URL_FILE: path });
    assert.deepEqual(
      [ended.code, ended.stderr],
      [2, 'PULSE_ALERT_URL_FILE: must be a readable file with one https: address\n'],
    );
  });
});

describe('the end of the key', () => {
  it('is stated by PULSE_API_KEY_EXPIRES, and a day in the past is a warning', async () => {
    await using service = await startFakeService(answerWell);
    await using bff = await startBffProcess({
      PULSE_API_KEY: 'canary-key-0123456789',
      PULSE_BASE_URL: service.url,
      PULSE_API_KEY_EXPIRES: '2020-01-31',
    });
    const { keyExpiry } = (await (await fetch(`${bff.adminUrl}/status`)).json()) as StatusDocument;
    assert.deepEqual([keyExpiry?.day, keyExpiry?.isGuess], ['2020-01-31', false]);
    bff.signal('SIGTERM');
    assert.match((await bff.ended).stdout, /PULSE_API_KEY_EXPIRES is in the past \(2020-01-31\)/);
  });

  it('is guessed where PULSE_STATE_DIR keeps when the key was first seen', async () => {
    using folder = temporaryFolder();
    await using service = await startFakeService(answerWell);
    await using bff = await startBffProcess({
      PULSE_API_KEY: 'canary-key-0123456789',
      PULSE_BASE_URL: service.url,
      PULSE_STATE_DIR: folder.path,
    });
    const { keyExpiry } = (await (await fetch(`${bff.adminUrl}/status`)).json()) as StatusDocument;
    assert.deepEqual([keyExpiry?.inDays, keyExpiry?.isGuess], [90, true]);
  });
});
