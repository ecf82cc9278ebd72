import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { readConfig } from '../../config/config.ts';
import { DIRECT } from '../../http/public-fields.ts';
import { until } from '../../../../testkit/src/until.ts';
import { serve, type Served } from '../../testing/serve.ts';
import { doctorSettings, pageChecker } from './check-page.ts';

const CARD = '<pulse-card source-id="src_1"></pulse-card>';

const waiting: ServerResponse[] = [];
let served: Served;
let origin = '';
before(async () => {
  served = await serve((request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html' });
    if (request.url === '/wait') waiting.push(response);
    else response.end(CARD);
  });
  origin = served.url;
});
after(() => served[Symbol.asyncDispose]());

function checker() {
  const variables = { PULSE_API_KEY: 'a-key-that-is-one', PULSE_BASE_URL: origin, PULSE_ALLOWED_ORIGINS: origin };
  const known = { knownIds: ['src_1'], chartUrls: {}, tokenKeys: undefined, now: 0 };
  const settings = { ...doctorSettings(readConfig(variables, {}), DIRECT, undefined), ...known };
  return pageChecker(() => settings);
}

const hasArrived = () => until('a request', () => waiting.length > 0);

describe('pageChecker() (T-69)', { timeout: 120_000 }, () => {
  it('checks one page at a time, and continues with the next page after a failure', async () => {
    const check = checker();
    const [first, second] = [check({ url: `${origin}/wait` }), check({ url: `${origin}/wait` })];
    await hasArrived();
    await assert.rejects(check({ url: 'example.com' }), { name: 'ZodError' });
    assert.equal(waiting.length, 1);
    waiting.shift()?.destroy();
    assert.equal((await first).findings[0]?.code, 'page_unreachable');
    await hasArrived();
    waiting.shift()?.end(CARD);
    assert.equal((await second).page.cards, 1);
  });

  for (const url of ['', 'example.com', 'localhost:8080', 'ftp://a.test', 'https://', 'javascript:alert(1)'])
    it(`rejects ${JSON.stringify(url)}, which isn’t the address of a web page`, () =>
      assert.rejects(checker()({ url }), { name: 'ZodError' }));
});
