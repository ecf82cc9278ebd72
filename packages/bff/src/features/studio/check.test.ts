import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';
import { readConfig } from '../../config.ts';
import { originPolicy } from '../../http/origins.ts';
import { type CheckParts, pageChecker } from './check.ts';

const requests: string[] = [];
const server = createServer((req, res) => {
  requests.push(req.url ?? '');
  res.writeHead(200, { 'Content-Type': 'text/html' }).end('<!doctype html><title>A page on this machine</title>');
});
let origin: string;
before(async () => {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => void requests.splice(0));
after(() => server.close());

/** Checks a page, for a BFF that allows these origins. */
async function check(url: string, allowedOrigins: string) {
  const config = readConfig({
    PULSE_API_KEY: 'canary-key-0123456789',
    PULSE_BASE_URL: 'https://service.test',
    PULSE_PUBLIC_URL: 'https://pulse.test',
    PULSE_ALLOWED_ORIGINS: allowedOrigins,
  });
  const pulses = { knownIds: () => [], peek: () => undefined, status: () => ({ list: { freshness: 'fresh' } }) };
  const origins = originPolicy(config.allowedOrigins, config.publicUrl);
  const parts = { config, origins, pulses, tokens: undefined } as unknown as CheckParts;
  return pageChecker(parts)({ url });
}

/** Whether the page was read. */
async function wasRead(url: string, allowedOrigins: string): Promise<boolean> {
  return (await check(url, allowedOrigins)).page.wasRead;
}

describe('pageChecker()', () => {
  it('reads a page on this machine if its origin is allowed', async () => {
    assert.equal(await wasRead(`${origin}/page`, origin), true);
    assert.deepEqual(requests, ['/page']);
  });

  for (const allowed of ['https://site.test', '*'])
    it(`never requests another page on this machine if PULSE_ALLOWED_ORIGINS is ${allowed}`, async () => {
      for (const url of [origin, origin.replace('127.0.0.1', 'localhost')])
        assert.equal(await wasRead(url, allowed), false, url);
      assert.deepEqual(requests, []);
    });

  for (const url of ['http://10.0.0.1', 'http://169.254.169.254', 'http://[fd00::1]'])
    it(`never requests ${url}, even if its origin is allowed`, async () => {
      const { findings } = await check(url, url);
      assert.match(findings[0]?.title ?? '', /its IP address is private/);
    });

  it('looks up any host name that could be public', async () => {
    const { findings } = await check('https://nowhere.invalid', 'https://nowhere.invalid');
    assert.match(findings[0]?.title ?? '', /couldn’t be fetched/);
  });
});
