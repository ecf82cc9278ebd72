import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { codedErrorBodySchema } from '@pulse-card/contract';
import { countQuestions } from '../testing/fake-cache.ts';
import { sendRaw } from '../testing/raw-request.ts';
import { serveApp, tokenVariables } from '../testing/served-app.ts';

const app = await serveApp({ ...tokenVariables, PULSE_CLIENT_RATE: '1' });
after(() => app[Symbol.asyncDispose]());

const get = (target: string): string => `GET ${target} HTTP/1.1\r\nHost: pulse.test\r\nConnection: close\r\n\r\n`;

/**
 * Targets that two servers read as different paths. For example, one of the servers treats `\` as `/` or cuts at `#`.
 */
const AMBIGUOUS = [
  '/v1\\sources#',
  '/v1\\pulses?ids=src_1',
  '/v1/sources#',
  '/v1/pulses?ids=src_1#',
  '/oembed#?url=https%3A%2F%2Fpulse.test%2Fembed%2Fsrc_1',
  '/embed\\src_1',
  '/healthz#',
  '/\\evil.test/v1/sources',
  '/v1/sources\u007f',
  '/v1/sources/src_1\u0001/pulse',
  '/v1/sources\t',
  'http://evil.test/v1/sources',
  'http://pulse.test:81/v1/sources',
  'http://pulse.test@evil.test/v1/sources',
  'http:///v1/sources',
  'ftp://pulse.test/v1/sources',
  'v1/sources',
];

describe('A target that servers parse differently (T-80)', () => {
  for (const target of AMBIGUOUS)
    it(`gets 400 for ${JSON.stringify(target)} before any other check, without a call`, async () => {
      const questions = countQuestions(app.cache);
      const [answer] = await sendRaw(app.port, get(target));
      assert.equal(answer?.status, 400);
      assert.match(answer.head, /\r\nCache-Control: no-store\r\n/);
      assert.equal(codedErrorBodySchema.parse(JSON.parse(answer.body)).code, 'bad_request');
      assert.equal(questions.stop(), 0);
    });

  for (const verb of ['HEAD', 'OPTIONS', 'POST'])
    it(`also gets 400 for ${verb} from a page that isn’t allowed`, async () => {
      const text = `${verb} /v1/sources# HTTP/1.1\r\nHost: a\r\nOrigin: https://evil.test\r\n\r\n`;
      assert.equal((await sendRaw(app.port, text))[0]?.status, 400);
    });
});

describe('A target that is an absolute URL of this server', () => {
  it('is treated like its path', async () => {
    await using open = await serveApp();
    for (const target of ['http://pulse.test/v1/sources', 'HTTPS://PULSE.test/v1/sources?x=1'])
      assert.equal((await sendRaw(open.port, get(target)))[0]?.status, 200);
  });
});
