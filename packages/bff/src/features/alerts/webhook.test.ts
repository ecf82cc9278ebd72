import assert from 'node:assert/strict';
import { json } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { freePort } from '../../../../../scripts/free-port.ts';
import { Secret } from '../../lib/secret.ts';
import { answersWith, startFakeService } from '../../testing/fake-service.ts';
import { chatText, messageOf, webhookAt } from './webhook.ts';

const PATH = '/services/T000/B000/secretpart';
const webhookOf = ({ url }: { readonly url: string }, options = {}) => webhookAt(new Secret(url + PATH), options);

describe('webhookAt()', () => {
  it('posts one JSON object with the text', async () => {
    const posted: unknown[] = [];
    await using service = await startFakeService((request, response) => {
      posted.push(request.method, request.headers['content-type'], json(request));
      response.end('ok');
    });
    assert.deepEqual(await webhookOf(service).send('The key ends.'), { ok: true });
    assert.deepEqual(await Promise.all(posted), ['POST', 'application/json', { text: 'The key ends.' }]);
  });

  it('doesn’t follow redirects', async () => {
    await using service = await startFakeService(answersWith('', 307, { Location: '/elsewhere' }));
    assert.deepEqual(await webhookOf(service).send('x'), { ok: false, failure: 'it returned 307' });
    assert.equal(service.arrivals.length, 1);
  });

  it('gives up after its timeout', async () => {
    await using service = await startFakeService(() => {});
    const outcome = await webhookOf(service, { timeoutMs: 50 }).send('x');
    assert.deepEqual(outcome, { ok: false, failure: 'it did not answer in time' });
  });

  it('T-01 reports the failure’s code, never the address', async () => {
    const outcome = await webhookOf({ url: `http://127.0.0.1:${await freePort()}` }).send('x');
    assert.deepEqual(outcome, { ok: false, failure: 'it could not be reached (ECONNREFUSED)' });
  });
});

describe('messageOf()', () => {
  it('is a single string that names the BFF', () =>
    assert.equal(
      messageOf(['a.', 'Over: b.'], 'https://pulse.test'),
      'Pulse Card at https://pulse.test\n• a.\n• Over: b.',
    ));

  it('shows at most ten lines, then how many more there are', () => {
    const lines = messageOf(Array(14).fill('x'), 'here').split('\n');
    assert.equal(lines.length, 12);
    assert.equal(lines.at(-1), '• And 4 more: see the status page.');
  });
});

describe('chatText()', () => {
  it('T-70 doesn’t leave domain names that a chat app would turn into links', () =>
    assert.equal(chatText('Sales evil.test v1.5. Done'), 'Sales evil.\u200Btest v1.\u200B5. Done'));

  it('is one line without control and direction characters', () =>
    assert.equal(chatText('a\r\nb\u202Ec\u0007d\u2028e'), 'a bcd e'));

  for (const [name, read] of [
    ['<!channel> & <https://evil.test|here>', /^[^<>]*$/],
    ['@channel @here', /^(?!.*@[a-z])/],
    ['[click](https://evil.test)', /^(?!.*\]\()(?!.*:\/\/)/],
    ['**bold** `code` ~gone~', /^(?!.*\*\*)(?!.*`c)(?!.*~g)/],
  ] as const) {
    it(`T-70 removes mentions, links, and markup from ${name}, but keeps its words`, () => {
      assert.match(chatText(name), read);
      assert.match(chatText(name), /channel|here|click|bold/);
    });
  }
});
