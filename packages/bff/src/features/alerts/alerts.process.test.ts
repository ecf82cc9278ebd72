import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { StatusDocument } from '../../index.ts';
import { type BffProcess, runToEnd, startBffAndService, UNREACHABLE } from '../../testing/bff-process.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';

const statusOf = async ({ adminUrl }: BffProcess) =>
  (await (await fetch(`${adminUrl}/status`)).json()) as StatusDocument;

describe('pulse-bff serve with PULSE_ALERT_URL', () => {
  it('T-01 shows only the host of the webhook’s address', async () => {
    const PULSE_ALERT_URL = 'https://hooks.example.com/services/canarypath?token=canaryquery';
    await using bff = await startBffAndService({ PULSE_ALERT_URL, LOG_LEVEL: 'trace' });
    const status = await statusOf(bff);
    const metrics = await (await fetch(`${bff.adminUrl}/metrics`)).text();
    assert.equal(status.alerts.host, 'hooks.example.com');
    assert.doesNotMatch(JSON.stringify(status) + metrics + bff.output(), /canarypath|canaryquery/);
  });

  it('reads the address from the file set in PULSE_ALERT_URL_FILE', async () => {
    using folder = temporaryFolder();
    const PULSE_ALERT_URL_FILE = folder.file('hook', 'https://hooks.example.com/services/canarypath\n');
    await using bff = await startBffAndService({ PULSE_ALERT_URL_FILE });
    assert.equal((await statusOf(bff)).alerts.host, 'hooks.example.com');
  });

  it('exits with 2 if the address file is empty', async () => {
    using folder = temporaryFolder();
    const PULSE_ALERT_URL_FILE = folder.file('hook', 'canary\n');
    const { code, stderr } = await runToEnd({ ...UNREACHABLE, PULSE_ALERT_URL_FILE });
    const fault =
      'PULSE_ALERT_URL_FILE: its line must be an https: address without user name (http: on a loopback host only)\n';
    assert.deepEqual([code, stderr], [2, fault]);
  });
});

describe('The key’s expiry', () => {
  it('is set by PULSE_API_KEY_EXPIRES, with a warning if the day is in the past', async () => {
    await using bff = await startBffAndService({ PULSE_API_KEY_EXPIRES: '2020-01-31' });
    const { keyExpiry } = await statusOf(bff);
    assert.deepEqual([keyExpiry?.day, keyExpiry?.isGuess], ['2020-01-31', false]);
    bff.signal('SIGTERM');
    assert.match((await bff.ended).stdout, /PULSE_API_KEY_EXPIRES is in the past \(2020-01-31\)/);
  });

  it('is estimated from the time in PULSE_STATE_DIR when the key was first seen', async () => {
    using folder = temporaryFolder();
    await using bff = await startBffAndService({ PULSE_STATE_DIR: folder.path });
    const { keyExpiry } = await statusOf(bff);
    assert.deepEqual([keyExpiry?.inDays, keyExpiry?.isGuess], [90, true]);
  });
});
