import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { describe, it } from 'node:test';
import { Secret } from '../secret.ts';
import { serve } from '../testing/serve.ts';
import { chatText, messageOf, webhookAt } from './webhook.ts';

const PATH = '/services/T000/B000/secretpart';

async function startWebhook(listener: RequestListener): Promise<{ address: Secret } & AsyncDisposable> {
  const served = await serve(listener);
  return { ...served, address: new Secret(served.url + PATH) };
}

describe('webhookAt()', () => {
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
    assert.deepEqual(await webhookAt(webhook.address).send('The key ends.'), { ok: true });
    assert.deepEqual(bodies, [['POST', 'application/json', { text: 'The key ends.' }]]);
  });

  it('follows no redirect', async () => {
    const seen: (string | undefined)[] = [];
    await using webhook = await startWebhook(({ url }, response) => {
      seen.push(url);
      response.writeHead(307, { Location: '/elsewhere' }).end();
    });
    assert.deepEqual(await webhookAt(webhook.address).send('x'), { ok: false, failure: 'it answered 307' });
    assert.deepEqual(seen, [PATH]);
  });

  it('gives up after its timeout', async () => {
    await using webhook = await startWebhook(() => {});
    const outcome = await webhookAt(webhook.address, { timeoutMs: 50 }).send('x');
    assert.deepEqual(outcome, { ok: false, failure: 'it did not answer in time' });
  });

  it('T-01 names the code of a failure, never the address', async () => {
    const outcome = await webhookAt(new Secret(`http://127.0.0.1:1${PATH}`)).send('x');
    assert.equal(outcome.ok, false);
    assert.doesNotMatch(JSON.stringify(outcome), /secretpart|127\.0\.0\.1/);
  });
});

describe('messageOf()', () => {
  it('is one text that names the BFF', () =>
    assert.equal(
      messageOf(['a.', 'Over: b.'], 'https://pulse.test'),
      'Pulse Card at https://pulse.test\n• a.\n• Over: b.',
    ));

  it('shows ten lines and counts the rest', () => {
    const lines = messageOf(Array(14).fill('x'), 'here').split('\n');
    assert.equal(lines.length, 12);
    assert.equal(lines.at(-1), '• And 4 more: see the status page.');
  });
});

describe('chatText()', () => {
  it('is one line without control and direction characters', () =>
    assert.equal(chatText('a\r\nb\u202Ec\u0007d\u2028e'), 'a bcd e'));

  for (const [name, read] of [
    ['<!channel> & <https://evil.test|here>', /^[^<>]*$/],
    ['@channel @here', /^(?!.*@[a-z])/],
    ['[click](https://evil.test)', /^(?!.*\]\()(?!.*:\/\/)/],
    ['**bold** `code` ~gone~', /^(?!.*\*\*)(?!.*`c)(?!.*~g)/],
  ] as const) {
    it(`T-70 leaves no mention, link or markup in ${name}`, () => assert.match(chatText(name), read));
  }
});
