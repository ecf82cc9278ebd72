import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { until } from '../../testkit/src/until.ts';
import { folder, Net, pulsePath, webhook } from './kit.ts';

const PULSE = pulsePath('src_001');

describe('Alerts', () => {
  it('report that the service is down and, even after a restart, that it responds again', async () => {
    await using hook = await webhook();
    await using net = await Net.start({ env: { PULSE_ALERT_URL: hook.url, PULSE_STATE_DIR: folder() }, speed: 20 });
    await net.eventually(PULSE);
    const message = (number: number) =>
      until(`message ${number} arrives`, async () => {
        await net.push(60_000);
        await net.get(PULSE);
        return hook.texts.length >= number;
      });
    await net.service.fail({ kind: 'reset' });
    await message(1);
    assert.match(hook.texts[0] ?? '', /• The service has been failing for/);
    await net.bff.stop();
    await net.bff.restart();
    await net.service.recover();
    await message(2);
    assert.match(hook.texts[1] ?? '', /• Over: The service has been failing for/);
  });
});
