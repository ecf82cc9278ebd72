import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { freePort } from '../../packages/testkit/src/free-port.ts';
import { serviceWarning } from './service-check.ts';

/** The warning if the BFF's admin port responds with `body`. */
async function warningAt(body: string): Promise<string | undefined> {
  const admin = createServer(({ url }, response) => response.end(url === '/status' ? body : '')).listen(0, 'localhost');
  await once(admin, 'listening');
  try {
    return await serviceWarning(`http://localhost:${(admin.address() as AddressInfo).port}`);
  } finally {
    admin.close();
    admin.closeAllConnections();
  }
}

const statusOf = (ready: boolean, degraded: readonly string[]) =>
  JSON.stringify({ ready, degraded, summary: { headline: 'The service refuses the API key.' } });

describe('serviceWarning()', () => {
  it('reports nothing while the service is responding', async () =>
    assert.equal(await warningAt(statusOf(true, [])), undefined));

  for (const [circumstance, status] of [
    ['no answer from the service has arrived yet', statusOf(false, [])],
    ['the service refuses the key', statusOf(false, ['upstream_auth'])],
    ['the service fails and saved answers are served', statusOf(true, ['upstream_unavailable'])],
  ] as const) {
    it(`repeats the BFF’s message and names a command for details if ${circumstance}`, async () =>
      assert.equal(
        await warningAt(status),
        'The service refuses the API key. To see why, with the same variables: npm run -s pulse-bff -- check',
      ));
  }

  it('reports nothing if the admin port doesn’t respond with a status', async () => {
    assert.equal(await serviceWarning(`http://localhost:${await freePort()}`), undefined);
    for (const body of ['', '{}', '<html>']) assert.equal(await warningAt(body), undefined, body);
  });
});
