import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { runBff } from '../../testkit/src/bff-process.ts';
import type { Fault } from '../../testkit/src/service/fault.ts';
import { type FakeService, SERVICE_ACCOUNT } from '../../testkit/src/service/fake-service.ts';
import { folder, pulsePath, startNet, webhook } from './kit.ts';

const KEY = 'CANARYk3y_Zm9vYmFyQmF6UXV4MTIzNDU2Nzg5MGFiY2Rl';

/** Every form in which the key might leak. */
const FORMS = [
  KEY,
  KEY.toLowerCase(),
  KEY.split('').toReversed().join(''),
  Buffer.from(KEY).toString('hex'),
  KEY.slice(0, 12),
  KEY.slice(-12),
  ...[0, 1, 2].map((offset) =>
    Buffer.from('\0'.repeat(offset) + KEY)
      .toString('base64url')
      .slice(4, -4),
  ),
];

const loud = {
  'set-cookie': `key=${KEY}`,
  location: `https://evil.test/${KEY}`,
  'www-authenticate': `Key ${KEY}`,
  etag: `"${KEY}"`,
  server: KEY,
};
const FAULTS: readonly Fault[] = [
  { kind: 'headers', headers: loud },
  ...[302, 401, 404, 429, 500].map((status): Fault => ({
    kind: 'status',
    status,
    headers: loud,
    body: JSON.stringify({ success: false, error: `Bad key ${KEY}`, key: KEY }),
  })),
  { kind: 'status', status: 200, body: `<p>${KEY}` },
  { kind: 'status', status: 200, body: `{"pulse":{"jobRunId":"${KEY}"` },
  { kind: 'reset' },
];

const PATHS = [
  '/v1/sources',
  pulsePath('src_001'),
  '/v1/pulses?ids=src_001,src_002',
  '/v1/sources/src_001/image',
  '/embed/src_001',
  '/readyz',
  '/nothing',
];

describe('The key', () => {
  it('doesn’t appear in any response, log, status, metric, alert, or file, regardless of what the service returns', async () => {
    await using hook = await webhook();
    const state = folder();
    const env = { PULSE_API_KEY: KEY, PULSE_STATE_DIR: state.path, LOG_LEVEL: 'trace', PULSE_ALERT_URL: hook.url };
    const prepare = ({ keys }: FakeService) => keys.set(KEY, { list: true, pulses: true });
    await using net = await startNet({ env, prepare, speed: 1 });
    await net.eventually(pulsePath('src_001'));
    const seen: string[] = [];
    const look = async (path: string) => {
      const { headers, text } = await net.get(path);
      seen.push(JSON.stringify([...headers]) + text);
    };
    for (const fault of FAULTS) {
      await net.service.fail(fault);
      await net.push(60_000);
      await Promise.all(PATHS.map(look));
      for (const path of ['/status', '/metrics', '/']) seen.push((await net.admin(path)).text);
    }
    await net.push(11 * 60_000);
    await pause(500);
    // Whether an alert is due depends on timing, so a test message guarantees that there is one.
    const checked = await runBff(['check', '--alert'], { ...net.bff.env, NODE_OPTIONS: '' });
    await net.bff.stop();
    const places = {
      answers: seen.join('\n'),
      log: net.bff.lastLines.join('\n'),
      alerts: hook.texts.join('\n'),
      files: state.texts().join('\n'),
      check: checked.stdout + checked.stderr,
    };
    for (const [place, text] of Object.entries(places)) {
      assert.ok(text.length > 20, `${place} is empty`);
      for (const form of FORMS) {
        const at = text.indexOf(form);
        assert.ok(at < 0, `${place} has ${form}: ${text.slice(Math.max(0, at - 200), at + 80)}`);
      }
    }
    for (const place of ['answers', 'log', 'alerts'] as const)
      assert.ok(!places[place].includes(SERVICE_ACCOUNT.email), `${place} has the account`);
  });
});
