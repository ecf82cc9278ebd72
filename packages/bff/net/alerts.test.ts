import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { until } from '../../testkit/src/until.ts';
import { folder, Net, pulsePath, webhook } from './kit.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const PULSE = pulsePath('src_001');

async function start(hook: { url: string }, env: Record<string, string> = {}): Promise<Net> {
  const net = await Net.start({ env: { PULSE_ALERT_URL: hook.url, ...env }, speed: 1 });
  await net.eventually(PULSE);
  return net;
}

/** Lets time pass until a message matches. */
async function told(net: Net, texts: readonly string[], words: RegExp, minutes = 15): Promise<void> {
  for (let at = 0; at < minutes && !texts.some((text) => words.test(text)); at += 3) {
    await net.push(3 * MINUTE_MS);
    await net.get(PULSE);
  }
  await until(`a message matches ${words}`, () => texts.some((text) => words.test(text)), {
    lines: () => texts,
  });
}

describe('Alerts', { concurrency: 2 }, () => {
  it('report that the service is down only after 10 minutes, and only once, even across a restart', async () => {
    await using hook = await webhook();
    await using net = await start(hook, { PULSE_STATE_DIR: folder() });
    await net.push(2 * MINUTE_MS);
    await net.service.fail({ kind: 'reset' });
    await net.get(PULSE);
    await net.push(8 * MINUTE_MS);
    assert.deepEqual(hook.texts, []);
    await told(net, hook.texts, /service/i);
    const sent = hook.texts.length;
    await net.bff.stop();
    await net.bff.restart();
    for (let at = 0; at < 5; at += 1) {
      await net.get(PULSE);
      await net.push(4 * MINUTE_MS);
    }
    assert.equal(hook.texts.length, sent, hook.texts.join('\n---\n'));
    await net.service.recover();
    for (let at = 0; at < 10 && hook.texts.length === sent; at += 1) {
      await net.push(3 * MINUTE_MS);
      await net.get(PULSE);
    }
    assert.equal(hook.texts.length, sent + 1, hook.texts.join('\n---\n'));
  });

  it('report that a source is overdue once its pulse is marked as overdue', async () => {
    await using hook = await webhook();
    await using net = await start(hook);
    for (let day = 0; day < 12; day += 1) {
      const run = net.service.account.deliver('src_001', {
        completedAt: new Date(Date.parse((await net.status()).at)).toISOString(),
      });
      await until('the run exists', async () => (await net.get(PULSE)).json.pulse.jobRunId === run);
      await net.push(DAY_MS);
    }
    await net.push(3 * DAY_MS);
    await until('it is overdue', async () => (await net.get(PULSE)).json.source.rhythm.overdueSince !== null);
    assert.match((await net.get(PULSE)).json.source.rhythm.usual, /daily|weekdays/);
    await told(net, hook.texts, /overdue/);
  });
});
