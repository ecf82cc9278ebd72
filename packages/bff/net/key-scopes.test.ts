import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { SERVICE_KEY } from '../../testkit/src/service/fake-service.ts';
import { until } from '../../testkit/src/until.ts';
import { folder, Net, pulsePath } from './kit.ts';

const PULSE = pulsePath('src_001');
const B = 'key-b-0123456789abcdef';
const [PULSES, LIST] = [
  { list: false, pulses: true },
  { list: true, pulses: false },
];
const MINUTE_MS = 60_000;

async function rotated(rights: typeof LIST): Promise<Net> {
  const path = join(folder(), 'key');
  writeFileSync(path, SERVICE_KEY);
  const env = { PULSE_API_KEY_FILE: path, PULSE_KEY_RELOAD_MS: '100', PULSE_SOURCES: 'listed,src_001' };
  const net = await Net.start({ env, speed: 1 });
  await net.eventually(PULSE);
  net.service.keys.clear();
  await until(
    'the key is rejected',
    async () => (await net.get(PULSE)) && (await net.status()).key.state === 'refused',
  );
  net.service.keys.set(B, rights);
  writeFileSync(path, B);
  await net.push(MINUTE_MS);
  return net;
}

describe('A key that allows only one operation', { concurrency: 2 }, () => {
  it('still reads pulses after a key rotation', async () => {
    await using net = await rotated(PULSES);
    const run = net.service.account.deliver('src_001');
    await net.push(2 * MINUTE_MS);
    await until('it is served', async () => (await net.get(PULSE)).json?.pulse?.jobRunId === run);
  });

  it('still reads the list after a key rotation', async () => {
    await using net = await rotated(LIST);
    net.service.account.setSource('src_002', { name: 'A new name' });
    await net.push(2 * MINUTE_MS);
    await until('it is listed', async () => (await net.get('/v1/sources')).text.includes('A new name'));
  });
});
