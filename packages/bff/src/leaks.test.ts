import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, it } from 'node:test';
import { activeSource, fullPulse } from '@pulse-card/contract/examples';
import { startBffAndService } from './testing/bff-process.ts';
import { account, sendJson, startFakeService } from './testing/fake-service.ts';
import { serveRouter } from './testing/served-router.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

const KEY = 'CANARYk3y_Zm9vYmFyQmF6UXV4MTIzNDU2Nzg5MGFiY2Rl';

/** All secrets, in every form in which they might leak. */
const CANARIES = [KEY, account.email, account.id].flatMap((secret) => [
  secret,
  secret.toLowerCase(),
  secret.toUpperCase(),
  encodeURIComponent(secret),
  secret.split('').toReversed().join(''),
  Buffer.from(secret).toString('hex'),
  ...[0, 1, 2].map((offset) => base64Core(secret, offset)),
  secret.replace('@', '&#64;'),
  secret.replace('@', '\\u0040'),
  secret.slice(0, 12),
  secret.slice(-12),
]);

/** The middle of the base64 text of `secret`, if `offset` other bytes come before `secret`. */
function base64Core(secret: string, offset: number): string {
  return Buffer.from('\0'.repeat(offset) + secret)
    .toString('base64url')
    .slice(4, -4);
}

const LOUD_HEADERS = {
  'X-Account-Email': account.email,
  'Set-Cookie': `key=${KEY}`,
  Location: `https://evil.test/${KEY}`,
  'WWW-Authenticate': `Key ${KEY}`,
  Via: account.email,
  Server: KEY,
  ETag: `"${KEY}"`,
  'Cache-Control': `private, key=${KEY}`,
};

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const secrets = { account, email: account.email, key: KEY, owner: { email: account.email }, all: [[account.email]] };
const meta = { requestedAt: '2026-05-08T09:05:00.000Z', ...secrets };

const well: Answer = (request, response) => {
  const body =
    request.url === '/v1/sources'
      ? { sources: [{ ...activeSource, ...secrets }] }
      : { pulse: { ...fullPulse, ...secrets } };
  sendJson(response, 200, { meta, ...body, ...secrets }, LOUD_HEADERS);
};

function failing(status: number): Answer {
  return (_request, response) =>
    sendJson(response, status, { success: false, error: `Invalid key ${KEY} of ${account.email}` }, LOUD_HEADERS);
}

const answers: [name: string, answer: Answer][] = [
  ['gives a good answer', well],
  ...[302, 400, 401, 403, 404, 410, 429, 500].map((status): [string, Answer] => [`returns ${status}`, failing(status)]),
  ['answers with HTML', (_, response) => void response.writeHead(200, LOUD_HEADERS).end(`<p>${KEY} ${account.email}`)],
  ['answers in another format', (_, response) => sendJson(response, 200, { pulse: { jobRunId: KEY }, ...secrets })],
  [
    'sends half of an answer',
    (_, response) =>
      void response.writeHead(200, { 'Content-Length': '999' }).write(`{"a":"${KEY}`, () => response.destroy()),
  ],
  ['hangs up', (request) => void request.socket.destroy()],
];

const paths = [
  '/v1/sources',
  '/v1/sources/src_1/pulse',
  '/v1/pulses?ids=src_1,none',
  '/v1/sources/none/pulse',
  '/readyz',
  '/healthz',
  '/v1/openapi.yaml',
  '/nothing',
  '/v1/sources/%00/pulse',
  `/v1/sources/${KEY}%21/pulse`,
  '/pulse-card.js',
];

async function bytesOf(url: string, init?: RequestInit): Promise<string> {
  const response = await fetch(url, { redirect: 'manual', ...init });
  return `${response.status} ${JSON.stringify([...response.headers])} ${await response.text()}`;
}

function canariesIn(text: string): string[] {
  return CANARIES.filter((canary) => text.includes(canary));
}

const METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST'];

async function askForAll(url: string): Promise<string> {
  const texts: string[] = [];
  for (const path of paths) for (const method of METHODS) texts.push(await bytesOf(url + path, { method }));
  return texts.join('\n');
}

const exposing = { PULSE_API_KEY: KEY, PULSE_EXPOSE: 'link,deliveryLink,organization,connectionCount' };

describe('The key and the account (T-01, T-02, T-07)', () => {
  for (const [name, answer] of answers)
    it(`reach no reader while the service ${name}`, async () => {
      await using service = await startFakeService(answer);
      await using bff = await serveRouter({ ...exposing, PULSE_BASE_URL: service.url });
      assert.deepEqual(canariesIn(await askForAll(bff.url)), []);
      assert.ok(service.arrivals.length > 0);
    });

  it('don’t appear in any log line, file, metric, or page, regardless of the service’s response', async () => {
    using stateDir = temporaryFolder();
    const variables = { ...exposing, PULSE_STATE_DIR: stateDir.path, PULSE_FRESH_MS: '100', LOG_LEVEL: 'trace' };
    await using bff = await startBffAndService(variables, well);
    for (const answer of [well, failing(503), failing(302), failing(401)]) {
      bff.service.answer = answer;
      assert.deepEqual(canariesIn(await askForAll(bff.url)), []);
    }
    for (const path of ['/', '/status', '/metrics', '/none'])
      assert.deepEqual(canariesIn(await bytesOf(bff.adminUrl + path)), []);
    bff.signal('SIGTERM');
    const { stdout, stderr } = await bff.ended;
    assert.equal(stderr, '');
    const lines = stdout.trimEnd().split('\n');
    assert.ok(lines.length > 100);
    for (const line of lines) assert.ok(JSON.parse(line) && line.length < 4_096);
    assert.deepEqual(canariesIn(stdout), []);
    const cached = stateDir.texts().join();
    assert.ok(cached.includes('src_1'));
    assert.deepEqual(canariesIn(cached), []);
  });

  it('reach the service in one header of every request and nowhere else in the request', async () => {
    await using service = await startFakeService(well);
    await using bff = await serveRouter({ ...exposing, PULSE_BASE_URL: service.url });
    await askForAll(bff.url);
    for (const { url, rawHeaders } of service.arrivals) {
      const places = [url, ...rawHeaders].filter((part) => part.includes(KEY));
      assert.deepEqual(places, [KEY]);
    }
  });
});

describe('What a reader sends (T-18, T-25)', () => {
  it('never reaches the service, and reaches the log only truncated and escaped', async () => {
    await using quiet = await startBffAndService();
    await fetch(`${quiet.url}/v1/sources/src_1/pulse`);
    const [first] = quiet.service.arrivals;
    const evil = ['%0d%0ainjected', '%1b%5b2J', '%E2%80%A8', '$%7Bjndi:x%7D', 'x'.repeat(6_000)];
    for (const text of evil) {
      const own = { Referer: 'https://canary.test', 'X-API-Key': 'canary', Cookie: 'canary=1' };
      const headers = { ...own, 'User-Agent': `canary${text}` };
      await fetch(`${quiet.url}/${text}?canary=${text}`, { headers });
      await fetch(`${quiet.url}/v1/sources/src_1/pulse?canary=1`, { headers });
    }
    quiet.signal('SIGTERM');
    const { stdout } = await quiet.ended;
    assert.doesNotMatch(stdout, /canary|127\.0\.0\.1"/);
    // eslint-disable-next-line no-control-regex -- control characters are exactly what must not be there
    assert.doesNotMatch(stdout, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029]/);
    for (const line of stdout.trimEnd().split('\n')) assert.ok(JSON.parse(line) && line.length < 4_096);
    for (const { rawHeaders } of quiet.service.arrivals) assert.deepEqual(rawHeaders, first?.rawHeaders);
  });
});
