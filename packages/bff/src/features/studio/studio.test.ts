import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { after, describe, it } from 'node:test';
import { Router } from 'express';
import express from 'express';
import inject, { type InjectOptions } from 'light-my-request';
import { readConfig } from '../../config.ts';
import { originPolicy } from '../../http/origins.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { testLog } from '../../testing/test-log.ts';
import type { Withheld } from '../withheld/withheld.ts';
import { type CheckParts, pageChecker } from './check.ts';
import { openStudio, type StudioParts } from './studio.ts';

const folder = temporaryFolder();
after(() => folder.remove());
mkdirSync(folder.file('studio/assets'), { recursive: true });
for (const [file, text] of [
  ['index.html', 'status'],
  ['studio/index.html', 'studio'],
  ['studio/assets/a-1.js', 'script'],
] as const) {
  writeFileSync(folder.file(file), text);
  writeFileSync(folder.file(`${file}.gz`), gzipSync(text));
}

const config = readConfig({
  PULSE_API_KEY: 'canary-key-0123456789',
  PULSE_BASE_URL: 'https://service.test',
  PULSE_PUBLIC_URL: 'https://pulse.test',
  PULSE_ALLOWED_ORIGINS: 'https://*.preview.site.test',
});

function open(more: Partial<StudioParts> = {}) {
  const { log, lines } = testLog();
  const bff = Router();
  bff.get(['/v1/sources', '/embed/src_1', '/pulse-card.js'], (req, res) => void res.send(`bff ${req.path}`));
  const studio = openStudio({
    config,
    bff,
    log,
    withheld: undefined,
    folder: folder.path,
    status: { json: () => '{"status":1}' },
    origins: originPolicy(config.allowedOrigins, config.publicUrl),
    widget: { integrity: 'sha384-x', publishedUrl: null },
    checkPage: async (input) => ({ input }),
    ...more,
  });
  const app = express().use('/admin', studio).use(studio);
  const ask = (url: string, { headers, ...options }: InjectOptions = {}) =>
    inject(app, { ...options, url, headers: { host: 'localhost', 'x-pulse-studio': '1', ...headers } });
  return { ask, lines };
}

const post = (payload: object | string, headers = {}) => ({ method: 'POST' as const, payload, headers });

describe('openStudio()', () => {
  it('serves the built pages compressed and adds the trailing slash that their links need', async () => {
    const { ask } = open();
    assert.equal((await ask('/')).body, 'status');
    const studio = await ask('/studio/', { headers: { 'accept-encoding': 'gzip' } });
    const seen = [studio.statusCode, studio.headers['content-encoding'], studio.headers['cache-control']];
    assert.deepEqual(seen, [200, 'gzip', 'private, no-cache']);
    assert.equal((await ask('/studio/assets/a-1.js')).headers['cache-control'], 'private, max-age=31536000, immutable');
    assert.equal((await ask('/admin/')).body, 'status');
    for (const [path, location] of [
      ['/studio', 'studio/'],
      ['/admin', 'admin/'],
      ['/admin?x', 'admin/'],
    ] as const) {
      const bare = await ask(path);
      assert.deepEqual([bare.statusCode, bare.headers['location']], [301, location]);
    }
  });

  it('explains what to do if the pages haven’t been built', async () => {
    const { statusCode, body } = await open({ folder: folder.file('nowhere') }).ask('/');
    assert.equal(statusCode, 404);
    assert.match(body, /npm run build/);
  });

  it('returns the settings without secrets', async () => {
    const { body, headers } = await open().ask('/studio/api/config');
    assert.equal(headers['cache-control'], 'no-store');
    assert.doesNotMatch(body, /canary/);
    const settings = JSON.parse(body) as Record<string, unknown>;
    assert.deepEqual(settings['allowedOrigins'], ['https://*.preview.site.test']);
    assert.deepEqual(settings['ownOrigins'], ['https://pulse.test']);
    assert.deepEqual(settings['script'], {
      url: 'https://pulse.test/pulse-card.js',
      publishedUrl: null,
      integrity: 'sha384-x',
    });
  });

  it('returns the status and serves the BFF’s routes for all sources', async () => {
    const { ask } = open();
    const status = await ask('/studio/api/status');
    assert.deepEqual([status.body, status.headers['cache-control']], ['{"status":1}', 'no-store']);
    assert.equal((await ask('/studio/api/bff/v1/sources')).body, 'bff /v1/sources');
    assert.equal((await ask('/studio/frames/embed/src_1')).body, 'bff /embed/src_1');
    const fromOtherSite = { headers: { 'sec-fetch-site': 'cross-site' } };
    assert.equal((await ask('/studio/frames/embed/src_1', fromOtherSite)).statusCode, 403);
    assert.equal((await ask('/studio/frames/v1/sources')).statusCode, 404);
  });

  for (const path of ['/studio/api/config', '/studio/api/status', '/studio/api/bff/v1/sources'])
    it(`serves ${path} only to the Studio’s own pages`, async () => {
      const { ask } = open();
      const { statusCode, headers } = await ask(path, { headers: { 'x-pulse-studio': '' } });
      assert.deepEqual([statusCode, headers['cache-control']], [403, 'no-store']);
      assert.equal((await ask(path, { headers: { 'sec-fetch-site': 'cross-site' } })).statusCode, 403);
    });

  it('never lets other pages frame it and never loads code from elsewhere', async () => {
    const { headers } = await open().ask('/');
    const policy = String(headers['content-security-policy']);
    assert.match(policy, /^default-src 'self'; img-src 'self' https: https:\/\/pulse\.test/);
    assert.match(policy, /; frame-ancestors 'self'.+trusted-types/);
    for (const [name, value] of Object.entries({
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'SAMEORIGIN',
      'x-robots-tag': 'noindex',
    }))
      assert.equal(headers[name], value);
  });

  it('accepts only GET and HEAD on all other paths', async () => {
    const { statusCode, headers } = await open().ask('/studio/api/config', post({}));
    assert.deepEqual([statusCode, headers['allow']], [405, 'GET, HEAD']);
    assert.equal((await open().ask('/studio/api/check')).headers['allow'], 'POST');
  });

  it('returns 4xx for a page check that it can’t parse and 500 without details for its own errors', async () => {
    const checker = pageChecker({ config } as unknown as CheckParts);
    const checkPage = async (input: unknown) => {
      const text = JSON.stringify(input);
      if (text.includes('https://fails.test')) throw new Error('canary');
      return text === '{"url":"https://a.test","token":"t"}' || checker(input);
    };
    const { ask, lines } = open({ checkPage });
    const json = { 'content-type': 'application/json' };
    for (const [payload, status] of [
      [{}, 400],
      [{ other: 'x' }, 400],
      [{ url: 'a.test' }, 400],
      [{ url: 'ftp://a.test' }, 400],
      [{ url: `https://a.test/${'x'.repeat(2_048)}` }, 400],
      ['{', 400],
      ['x'.repeat(40_000), 413],
      [{ url: 'https://fails.test' }, 500],
      [{ url: 'https://a.test', token: 't' }, 200],
    ] as const) {
      const { statusCode, body, headers } = await ask('/studio/api/check', post(payload, json));
      assert.equal(statusCode, status, JSON.stringify(payload).slice(0, 50));
      assert.equal(headers['cache-control'], 'no-store');
      assert.doesNotMatch(body, /canary/);
    }
    assert.equal(lines.length, 1);
    assert.doesNotMatch(JSON.stringify(lines), /canary/);
  });

  describe('withholding', () => {
    const listOf = (set: Withheld['set']) => ({ set }) as Withheld;

    it('withholds and restores a run', async () => {
      const calls: unknown[] = [];
      const { ask } = open({ withheld: listOf(async (...call) => void calls.push(call)) });
      const { statusCode, headers } = await ask('/studio/api/withheld', post({ run: 'run_1', withheld: true }));
      assert.deepEqual([statusCode, headers['cache-control']], [200, 'no-store']);
      assert.equal((await ask('/studio/api/withheld', post({ run: '../x', withheld: true }))).statusCode, 400);
      assert.equal((await ask('/studio/api/withheld', post({ run: 'run_1', withheld: 'yes' }))).statusCode, 400);
      const fromElsewhere = post({ run: 'run_1', withheld: true }, { 'x-pulse-studio': '' });
      assert.equal((await ask('/studio/api/withheld', fromElsewhere)).statusCode, 403);
      assert.deepEqual(calls, [['run_1', true]]);
    });

    it('returns 500 if the file can’t be written, and 405 if there’s no file or the router is mounted', async () => {
      const run = post({ run: 'run_1', withheld: false });
      const failing = listOf(async () => Promise.reject(new Error('EACCES')));
      assert.equal((await open({ withheld: failing }).ask('/studio/api/withheld', run)).statusCode, 500);
      assert.equal((await open().ask('/studio/api/withheld', run)).statusCode, 405);
      const mounted = open({ withheld: failing, config: { ...config, isMounted: true } });
      assert.equal((await mounted.ask('/studio/api/withheld', run)).statusCode, 405);
    });
  });
});
