import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { describe, it } from 'node:test';
import { activeSource, sourcesBody } from '@pulse-card/contract/examples';
import { freePort } from '../../../../scripts/free-port.ts';
import { systemClock } from '../lib/clock.ts';
import { ConfigError } from '../config/config.ts';
import { answersWith, answerWell, sendJson, startFakeService } from '../testing/fake-service.ts';
import { fixedKey } from '../upstream/key-source.ts';
import { ApiKey } from '../lib/api-key.ts';
import { HostClient } from '../upstream/host-client.ts';
import { checkKey, expiryLines, originLines } from './check.ts';

const KEY = ApiKey.from('canary-key-0123456789') ?? assert.fail();

async function checkAt(baseUrl: string, altBaseUrl?: string) {
  const client = new HostClient(
    { baseUrl, altBaseUrl, upstreamTimeoutMs: 60_000 },
    { key: fixedKey(KEY), clock: systemClock },
  );
  const hosts = { main: baseUrl, ...(altBaseUrl !== undefined && { alt: altBaseUrl }) };
  const { works, lines } = await checkKey(client, hosts);
  return { works, text: lines.join('\n') };
}

/** What the command prints if the service answers like `answer`. */
async function checkWith(answer?: RequestListener, altBaseUrl?: string) {
  await using service = await startFakeService(answer);
  return await checkAt(service.url, altBaseUrl);
}

/** Changes only the answer to the request for the list. */
const withList =
  (body: object): RequestListener =>
  (request, response) =>
    request.url === '/v1/sources' ? sendJson(response, 200, body) : answerWell(request, response);

describe('checkKey()', () => {
  it('prints the account, the sources with their statuses, the window, and the hosts', async () => {
    const { works, text } = await checkWith();
    assert.equal(works, true);
    assert.match(text, /^Account: canary\+owner@pii\.test \(acc_canary_1\)$/m);
    assert.match(text, /^ {2}ACTIVE {3}src_1 {2}GOOGLE {2}Q2 revenue$/m);
    assert.match(text, /^Rate window: 59 of 60 calls left, resets in \d+ s$/m);
    assert.match(text, /^PULSE_BASE_URL http.*: answered$/m);
  });

  it('succeeds if one of two hosts answers, and names the other host', async () => {
    const { works, text } = await checkWith(answerWell, `http://127.0.0.1:${await freePort()}`);
    assert.equal(works, true);
    assert.match(text, /^PULSE_ALT_BASE_URL .*: could not be reached \(connection\)$/m);
  });

  it('asks for a new key if the key is rejected', async () => {
    const { works, text } = await checkWith(
      answersWith({ success: false, error: 'Invalid canary-key-0123456789' }, 401),
    );
    assert.equal(works, false);
    assert.match(text, /returned 401$/m);
    assert.match(text, /^The service refuses the API key\. Create a new key/m);
    assert.doesNotMatch(text, /canary-key/);
  });

  for (const [scope, path] of [
    ['sources:read', '/v1/sources'],
    ['pulses:read', '/v1/sources/src_1/pulse'],
  ] as const)
    it(`names the missing scope: ${scope}`, async () => {
      const { works, text } = await checkWith((request, response) => {
        if (request.url === path) sendJson(response, 403, { success: false, error: 'Forbidden' });
        else answerWell(request, response);
      });
      assert.equal(works, false);
      assert.match(text, new RegExp(`lacks the scope ${scope}`));
    });

  it('names the variable if its host isn’t a Pulse service', async () => {
    const { works, text } = await checkWith((_request, response) => response.end('<html>'));
    assert.equal(works, false);
    assert.match(text, /Is PULSE_BASE_URL right/);
  });

  it('fails if PULSE_BASE_URL is the address of a BFF', async () => {
    const { works, text } = await checkWith((_request, response) =>
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ sources: [activeSource] })),
    );
    assert.equal(works, false);
    assert.match(text, /The key was not checked: .* Set PULSE_BASE_URL to the address of the service\./);
  });

  it('says how many rows of the list can’t be read', async () => {
    const { works, text } = await checkWith(
      withList({ meta: sourcesBody.meta, sources: [{ id: 'sources/1' }, activeSource] }),
    );
    assert.equal(works, true);
    assert.match(text, /^Sources: 1, and 1 row that cannot be read$/m);
  });

  for (const [what, protocol, host, advice] of [
    ['an unknown name', 'https:', 'unknown.invalid', /reached \(DNS\)[^]*host name in PULSE_BASE_URL/],
    ['a closed port', 'http:', '127.0.0.1:', /reached \(connection\)[^]*port in PULSE_BASE_URL/],
    ['a port without TLS', 'https:', undefined, /reached \(TLS\)[^]*certificate of the host in PULSE_BASE_URL/],
  ] as const)
    it(`distinguishes ${what} from other reasons why a host can’t be reached`, async () => {
      await using plain = await startFakeService();
      const closed = host?.endsWith(':') ? await freePort() : '';
      const { works, text } = await checkAt(`${protocol}//${host ?? new URL(plain.url).host}${closed}`);
      assert.equal(works, false);
      assert.match(text, advice);
    });

  it('removes terminal control characters from text that the service sends', async () => {
    const evil = '\u001b[2Jhidden\u0085\u202e';
    const { text } = await checkWith(
      withList({
        meta: { account: { id: evil, email: evil }, requestedAt: new Date().toISOString() },
        sources: [{ id: 'src_1', name: evil, provider: evil, status: evil }],
      }),
    );
    assert.match(text, /^Account: \?\[2Jhidden/m);
    assert.match(text, /^[\x20-\x7e\n]+$/);
  });
});

describe('expiryLines()', () => {
  const [NOON, EVENING] = [Date.parse('2026-11-22T12:00:00Z'), Date.parse('2026-11-22T23:59:59Z')];
  const guess = '(a guess: 90 days after it was first seen here; PULSE_API_KEY_EXPIRES states the day)';

  for (const [facts, nowMs, line] of [
    [{ statedDay: '2026-12-07', firstSeenMs: 0 }, NOON, 'The key expires on 2026-12-07, in 15 days'],
    [{ statedDay: '2026-11-23' }, EVENING, 'The key expires on 2026-11-23, in 1 day'],
    [{ statedDay: '2026-11-22' }, EVENING, 'The key expires on 2026-11-22, today'],
    [{ statedDay: '2026-11-20' }, NOON, 'The key expires on 2026-11-20, 2 days ago'],
    [{ firstSeenMs: NOON }, NOON, `The key expires on 2027-02-20, in 90 days ${guess}`],
    [{}, NOON, 'The key’s expiry is unknown: set PULSE_API_KEY_EXPIRES to the day that the dashboard shows'],
  ] as const)
    it(line, () => assert.deepEqual(expiryLines(facts, nowMs), [line]));
});

describe('originLines()', () => {
  const settings = { allowedOrigins: ['https://www.site.test'], publicUrl: 'https://pulse.test/cards' };

  for (const [allowedOrigins, line] of [
    [['https://www.site.test'], "Allowed origins: https://www.site.test, and the BFF's own: https://pulse.test"],
    [[], "Allowed origins: only the BFF's own: https://pulse.test"],
    ['*', 'Allowed origins: all'],
  ] as const)
    it(line, () => assert.deepEqual(originLines({ ...settings, allowedOrigins }), [line]));

  for (const [page, line] of [
    ['https://www.site.test/blog?page=2', 'https://www.site.test is allowed'],
    ['https://pulse.test', 'https://pulse.test is allowed'],
    [
      'http://localhost:8123/',
      'http://localhost:8123 is not in PULSE_ALLOWED_ORIGINS. If this site is yours, add it and restart',
    ],
    [
      'https://site.test',
      'https://site.test is not in PULSE_ALLOWED_ORIGINS. If this site is yours, add it and restart',
    ],
  ] as const) {
    it(`says for ${page}: ${line}`, () => assert.equal(originLines(settings, page)[1], line));
  }

  it('ends with the line to change if the origin is not allowed', () => {
    const change = 'Change: PULSE_ALLOWED_ORIGINS=https://www.site.test,https://site.test';
    assert.equal(originLines(settings, 'https://site.test').at(-1), change);
    const first = originLines({ ...settings, allowedOrigins: [] }, 'https://site.test');
    assert.equal(first.at(-1), 'Change: PULSE_ALLOWED_ORIGINS=https://site.test');
  });

  for (const page of ['www.site.test', 'null', 'ftp://site.test', 'https://'])
    it(`refuses ${page}`, () => assert.throws(() => originLines(settings, page), ConfigError));
});
