import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { activeSource } from '@pulse-card/contract/examples';
import { checkKey, expiryLines, originLines } from './check.ts';
import { ConfigError } from '../config.ts';
import { answerWell, type FakeService, sendJson, startFakeService } from '../testing/fake-service.ts';
import { systemClock } from '../clock.ts';
import { createSlidingWindowBudget } from '../testing/sliding-window-budget.ts';
import { ApiKey, KeyRing } from '../upstream/key-file.ts';
import { Upstream } from '../upstream/upstream.ts';

const KEY = 'canary-key-0123456789';

async function checkAt(service: FakeService, altBaseUrl?: string) {
  const key = ApiKey.from(KEY);
  assert.ok(key);
  const hosts = { main: service.url, ...(altBaseUrl !== undefined && { alt: altBaseUrl }) };
  const upstream = new Upstream(
    { baseUrl: service.url, altBaseUrl, upstreamTimeoutMs: 60_000 },
    {
      key: new KeyRing(key),
      callBudget: createSlidingWindowBudget(systemClock, { calls: 0, windowMs: 1 }),
      clock: systemClock,
    },
  );
  const { works, lines } = await checkKey(upstream, hosts);
  return { works, text: lines.join('\n') };
}

/** The address of a port that speaks no TLS, as if it did. */
async function plainPort(): Promise<string> {
  const service = await startFakeService();
  after(() => service[Symbol.asyncDispose]());
  return service.url.replace('http:', 'https:');
}

describe('checkKey()', () => {
  it('names the account, the sources with their statuses, the window and the hosts', async () => {
    await using service = await startFakeService();
    const { works, text } = await checkAt(service);
    assert.equal(works, true);
    assert.match(text, /^Account: canary\+owner@pii\.test \(acc_canary_1\)$/m);
    assert.match(text, /^ {2}ACTIVE {3}src_1 {2}GOOGLE {2}Q2 revenue$/m);
    assert.match(text, /^Rate window: 59 of 60 calls left, resets in \d+ s$/m);
    assert.match(text, /^PULSE_BASE_URL http.*: answered$/m);
  });

  it('works where one of two hosts answers, and says which does not', async () => {
    await using service = await startFakeService();
    const { works, text } = await checkAt(service, 'http://127.0.0.1:9');
    assert.equal(works, true);
    assert.match(text, /^PULSE_ALT_BASE_URL .*: could not be reached \(connection\)$/m);
  });

  it('asks for a new key where this one is refused', async () => {
    await using service = await startFakeService((_request, response) =>
      sendJson(response, 401, { success: false, error: `Invalid ${KEY}` }),
    );
    const { works, text } = await checkAt(service);
    assert.equal(works, false);
    assert.match(text, /answered 401$/m);
    assert.match(text, /^The service refuses the API key\. Make a new key/m);
    assert.doesNotMatch(text, /canary-key/);
  });

  it('names the scope that is missing, for lists and for pulses', async () => {
    await using service = await startFakeService((request, response) => {
      if (request.url === '/v1/sources') answerWell(request, response);
      else sendJson(response, 403, { success: false, error: 'Forbidden' });
    });
    assert.match((await checkAt(service)).text, /lacks the scope pulses:read/);
    service.answer = (_request, response) => sendJson(response, 403, { success: false, error: 'Forbidden' });
    const { works, text } = await checkAt(service);
    assert.equal(works, false);
    assert.match(text, /lacks the scope sources:read/);
  });

  it('names the variable of a host that is no such service', async () => {
    await using service = await startFakeService((_request, response) => response.end('<html>'));
    const { works, text } = await checkAt(service);
    assert.equal(works, false);
    assert.match(text, /Is PULSE_BASE_URL right/);
  });

  it('says how many rows of the list cannot be read', async () => {
    await using service = await startFakeService((request, response) => {
      if (request.url !== '/v1/sources') return answerWell(request, response);
      return sendJson(response, 200, { sources: [{ id: 'sources/1' }, { ...activeSource }] });
    });
    const { works, text } = await checkAt(service);
    assert.equal(works, true);
    assert.match(text, /^Sources: 1, and 1 row that cannot be read$/m);
  });

  const unreachable: readonly (readonly [what: string, url: () => Promise<string>, advice: RegExp])[] = [
    ['no name', () => Promise.resolve('https://nobody.invalid'), /reached \(DNS\)[^]*host name of PULSE_BASE_URL/],
    ['no port', () => Promise.resolve('http://127.0.0.1:9'), /reached \(connection\)[^]*port of PULSE_BASE_URL/],
    ['no TLS', plainPort, /reached \(TLS\)[^]*certificate of PULSE_BASE_URL/],
  ];
  for (const [what, url, advice] of unreachable) {
    it(`tells ${what} from other reasons that a host is not reached`, async () => {
      const { works, text } = await checkAt({ url: await url() } as FakeService);
      assert.equal(works, false);
      assert.match(text, advice);
    });
  }

  it('lets nothing that the service says steer the terminal', async () => {
    const evil = '\u001b[2Jhidden\u0085\u202e';
    await using service = await startFakeService((request, response) => {
      if (request.url !== '/v1/sources') return answerWell(request, response);
      const source = { id: 'src_1', name: evil, provider: evil, status: evil };
      return sendJson(response, 200, {
        meta: { account: { id: evil, email: evil }, requestedAt: new Date().toISOString() },
        sources: [source],
      });
    });
    const { text } = await checkAt(service);
    assert.match(text, /^Account: \?\[2Jhidden/m);
    assert.match(text, /^[\x20-\x7e\n]+$/);
  });
});

describe('expiryLines()', () => {
  const [NOON, EVENING] = [Date.parse('2026-11-22T12:00:00Z'), Date.parse('2026-11-22T23:59:59Z')];
  const guess = '(a guess: 90 days after it was first seen here; PULSE_API_KEY_EXPIRES states the day)';

  for (const [facts, nowMs, line] of [
    [{ statedDay: '2026-12-07', firstSeenMs: 0 }, NOON, 'The key ends on 2026-12-07, in 15 days'],
    [{ statedDay: '2026-11-23' }, EVENING, 'The key ends on 2026-11-23, in 1 day'],
    [{ statedDay: '2026-11-22' }, EVENING, 'The key ends on 2026-11-22, today'],
    [{ statedDay: '2026-11-20' }, NOON, 'The key ends on 2026-11-20, 2 days ago'],
    [{ firstSeenMs: NOON }, NOON, `The key ends on 2027-02-20, in 90 days ${guess}`],
    [{}, NOON, 'The key ends on a day that is not known here: set PULSE_API_KEY_EXPIRES to what the dashboard shows'],
  ] as const)
    it(line, () => assert.deepEqual(expiryLines(facts, nowMs), [line]));
});

describe('originLines()', () => {
  const settings = { allowedOrigins: ['https://www.site.test'], publicUrl: 'https://pulse.test/cards' };

  it('names the allowed origins, and its own', () => {
    assert.deepEqual(originLines(settings), [
      "Allowed origins: https://www.site.test, and the BFF's own: https://pulse.test",
    ]);
    assert.deepEqual(originLines({ ...settings, allowedOrigins: [] }), [
      "Allowed origins: none beside the BFF's own: https://pulse.test",
    ]);
    assert.deepEqual(originLines({ ...settings, allowedOrigins: '*' }), ['Allowed origins: all']);
  });

  for (const [page, line] of [
    ['https://www.site.test/blog?page=2', 'https://www.site.test is allowed'],
    ['https://pulse.test', 'https://pulse.test is allowed'],
    ['http://localhost:8123/', 'http://localhost:8123 is not in PULSE_ALLOWED_ORIGINS; add it and restart'],
    ['https://site.test', 'https://site.test is not in PULSE_ALLOWED_ORIGINS; add it and restart'],
  ] as const) {
    it(`says of ${page}: ${line}`, () => assert.equal(originLines(settings, page)[1], line));
  }

  it('ends with the line to change where the origin is not allowed', () => {
    const change = 'Change: PULSE_ALLOWED_ORIGINS=https://www.site.test,https://site.test';
    assert.equal(originLines(settings, 'https://site.test').at(-1), change);
    const first = originLines({ ...settings, allowedOrigins: [] }, 'https://site.test');
    assert.equal(first.at(-1), 'Change: PULSE_ALLOWED_ORIGINS=https://site.test');
  });

  for (const page of ['www.site.test', 'null', 'ftp://site.test', 'https://'])
    it(`refuses ${page}`, () => assert.throws(() => originLines(settings, page), ConfigError));
});
