import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Router } from 'express';
import inject from 'light-my-request';
import { adminApp } from './admin.ts';

function appFor(config: { adminHost: string; adminHosts: readonly string[] }, json = () => '{"a":1}') {
  const metrics = { type: 'text/plain; version=0.0.4; charset=utf-8', text: async () => 'm 1\n' };
  const studio = Router();
  studio.get('/', (_req, res) => void res.send('page'));
  return adminApp({ config, status: { json }, metrics, studio });
}

const app = appFor({ adminHost: '127.0.0.1', adminHosts: ['status.test'] });
const get = (url: string, headers: Record<string, string> = {}, to = app) =>
  inject(to, { url, headers: { host: 'localhost:4021', ...headers } });

describe('adminApp()', () => {
  it('serves the status, the metrics, and the pages', async () => {
    const answers = [await get('/status'), await get('/metrics'), await get('/')];
    const found = answers.map(({ statusCode, body }) => [statusCode, body]);
    assert.deepEqual(found, [
      [200, '{"a":1}'],
      [200, 'm 1\n'],
      [200, 'page'],
    ]);
    const types = answers.map(({ headers }) => headers['content-type']);
    assert.deepEqual(types, [
      'application/json; charset=utf-8',
      'text/plain; version=0.0.4; charset=utf-8',
      'text/html; charset=utf-8',
    ]);
    for (const [name, value] of Object.entries({
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    }))
      assert.equal(answers[0]?.headers[name], value);
    assert.equal((await get('/x')).statusCode, 404);
  });

  const open = appFor({ adminHost: '0.0.0.0', adminHosts: [] });
  for (const [host, onLoopback, onNetwork] of [
    ['localhost', 200, 200],
    ['[::1]:4021', 200, 200],
    ['localhost.:4021', 200, 200],
    ['Status.test.', 200, 403],
    ['status.test:4021', 200, 403],
    ['evil.test', 403, 403],
    ['localhost.evil.test.', 403, 403],
    ['10.0.0.7:4021', 403, 200],
    ['bff', 403, 200],
    ['bff.local', 403, 200],
    ['bff.internal.', 403, 200],
    ['evil.notlocal', 403, 403],
    ['8.8.8.8', 403, 200],
    ['a b', 403, 403],
  ] as const)
    it(`returns ${onLoopback} for the host "${host}" on loopback and ${onNetwork} on a private network`, async () => {
      assert.equal((await get('/status', { host })).statusCode, onLoopback);
      assert.equal((await get('/status', { host }, open)).statusCode, onNetwork);
    });

  it('rejects requests from pages on other sites and all write methods', async () => {
    for (const path of ['/status', '/metrics']) {
      assert.equal((await get(path, { 'sec-fetch-site': 'cross-site' })).statusCode, 403);
      const post = await inject(app, { method: 'POST', url: path, headers: { host: 'localhost' } });
      assert.deepEqual([post.statusCode, post.headers['allow']], [405, 'GET, HEAD']);
      const head = await inject(app, { method: 'HEAD', url: path, headers: { host: 'localhost' } });
      assert.deepEqual([head.statusCode, head.body], [200, '']);
    }
  });

  it('returns 500 without details if the status can’t be read', async () => {
    const broken = appFor({ adminHost: '127.0.0.1', adminHosts: [] }, () => {
      throw new Error('canary');
    });
    const { statusCode, body } = await get('/status', {}, broken);
    assert.deepEqual([statusCode, body.includes('canary')], [500, false]);
  });
});
