import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { until } from '../../testkit/src/until.ts';
import { folder, Net, pulsePath, webhook } from './kit.ts';

const MINUTE_MS = 60_000;
const PULSE = pulsePath('src_001');

describe('Alerts', () => {
  it('report that the service is down only after 10 minutes, and only once, even across a restart', async () => {
    await using hook = await webhook();
    await using net = await Net.start({ env: { PULSE_ALERT_URL: hook.url, PULSE_STATE_DIR: folder() }, speed: 1 });
    await net.eventually(PULSE);
    /** Lets time pass, with a reader. Returns how many messages there are. */
    const later = async () => {
      await net.push(3 * MINUTE_MS);
      await net.get(PULSE);
      return hook.texts.length;
    };
    await net.push(2 * MINUTE_MS);
    await net.service.fail({ kind: 'reset' });
    await net.get(PULSE);
    await net.push(8 * MINUTE_MS);
    assert.deepEqual(hook.texts, []);
    await until('a message arrives', later);
    assert.match(hook.texts.join(), /service/i);
    await net.bff.stop();
    await net.bff.restart();
    for (let at = 0; at < 7; at += 1) assert.equal(await later(), 1, hook.texts.join('\n---\n'));
    await net.service.recover();
    await until('a message says that it is over', async () => (await later()) === 2);
  });
});
