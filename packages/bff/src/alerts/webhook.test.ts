import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { Secret } from '../secret.ts';
import { webhookSender } from './webhook.ts';

const PATH = '/services/T000/B000/secretpart';

async function startWebhook(listener: RequestListener): Promise<{ address: Secret } & AsyncDisposable> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await new Promise((resolve) => void server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    address: new Secret(`http://127.0.0.1:${port}${PATH}`),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

describe('webhookSender()', () => {
  it('posts one JSON object with the text', async () => {
    const bodies: unknown[] = [];
    await using webhook = await startWebhook((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        bodies.push([request.method, request.headers['content-type'], JSON.parse(Buffer.concat(chunks).toString())]);
        response.end('ok');
      });
    });
    assert.deepEqual(await webhookSender(webhook.address)('The key ends.'), { ok: true });
    assert.deepEqual(bodies, [['POST', 'application/json', { text: 'The key ends.' }]]);
  });

  it('follows no redirect', async () => {
    const seen: (string | undefined)[] = [];
    await using webhook = await startWebhook(({ url }, response) => {
      seen.push(url);
      response.writeHead(307, { Location: '/elsewhere' }).end();
    });
    assert.deepEqual(await webhookSender(webhook.address)('x'), { ok: false, failure: 'it answered 307' });
    assert.deepEqual(seen, [PATH]);
  });

  it('gives up after its timeout', async () => {
    await using webhook = await startWebhook(() => {});
    const outcome = await webhookSender(webhook.address, { timeoutMs: 50 })('x');
    assert.deepEqual(outcome, { ok: false, failure: 'it did not answer in time' });
  });

  it('T-01 names the code of a failure, never the address', async () => {
    const outcome = await webhookSender(new Secret(`http://127.0.0.1:1${PATH}`))('x');
    assert.equal(outcome.ok, false);
    assert.doesNotMatch(JSON.stringify(outcome), /secretpart|127\.0\.0\.1/);
  });
});
