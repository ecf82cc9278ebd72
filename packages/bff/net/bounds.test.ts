import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { until } from '../../testkit/src/until.ts';
import { folder, Net, pulsePath, tokenVariables, withToken } from './kit.ts';

const DAY_MS = 86_400_000;

describe('Files', () => {
  let net: Net;
  before(async () => {
    net = await Net.start();
    await net.eventually(pulsePath('src_001'));
  });
  after(() => net[Symbol.asyncDispose]());

  for (const path of ['/pulse-card.js', '/pulse-board.js', '/pulse-frame.js'])
    it(`${path} is a short-lived script for any page`, async () => {
      const { status, headers } = await net.get(path, { 'Accept-Encoding': 'br' });
      assert.equal(status, 200);
      assert.match(headers.get('content-type') ?? '', /javascript/);
      assert.match(headers.get('cache-control') ?? '', /max-age=\d{1,4}\b/);
      assert.equal(headers.get('access-control-allow-origin'), '*');
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      if (path !== '/pulse-frame.js') assert.equal(headers.get('content-encoding'), 'br');
    });

  it('the licenses are served next to the scripts', async () => {
    const { status, text } = await net.get('/THIRD-PARTY-NOTICES.txt');
    assert.equal(status, 200);
    assert.match(text, /lit/i);
  });

  it('files with a hash in their name are immutable, and a wrong hash returns 404', async () => {
    const { text } = await net.get('/embed/src_001');
    const path = /\/pulse-card-[\w-]+\.js/.exec(text)?.[0];
    if (path !== undefined) assert.match((await net.get(path)).headers.get('cache-control') ?? '', /immutable/);
    const wrong = await net.get('/pulse-card-0000000000.js');
    assert.equal(wrong.status, 404);
  });

  it('the API description is served', async () => {
    const { status, text } = await net.get('/v1/openapi.yaml');
    assert.equal(status, 200);
    assert.match(text, /^openapi: 3\.1/);
  });
});

describe('Bounds', { concurrency: 2 }, () => {
  it('IDs in a token are known to its reader but aren’t in anyone else’s list', async () => {
    await using net = await Net.start({ env: { ...tokenVariables(), PULSE_SOURCES: 'listed' } });
    net.service.account.deliver('src_private', { aiSummaryShort: 'only for one' });
    const [one, all] = [await withToken(['src_private', 'src_001'], 'one'), await withToken('*', 'all')];
    assert.match((await net.eventually(pulsePath('src_private'), 200, one)).text, /only for one/);
    const list = await net.eventually('/v1/sources', 200, all);
    assert.ok(list.json.sources.length > 0);
    assert.doesNotMatch(list.text, /src_private/);
    const other = await net.get(pulsePath('src_private'), all);
    assert.ok([403, 404].includes(other.status) && !other.text.includes('only for one'));
  });

  it('an ID that’s in neither the list nor a token doesn’t trigger a call', async () => {
    await using net = await Net.start();
    await net.eventually(pulsePath('src_001'));
    const paths = Array.from({ length: 100 }, (_, at) => pulsePath(`stranger_${at}`));
    for (const answer of await Promise.all(paths.map((path) => net.get(path))))
      assert.equal(answer.json.code, 'source_unknown');
    assert.ok(!net.service.calls.some(({ path }) => path?.includes('stranger')));
  });

  it('earlier runs are limited to PULSE_HISTORY runs, 64 KiB per source, and 400 days', async () => {
    const state = folder();
    await using net = await Net.start({ env: { PULSE_HISTORY: '30', PULSE_STATE_DIR: state }, speed: 1 });
    const path = '/v1/sources/src_001/runs';
    const deliver = async (text: string) => {
      const run = net.service.account.deliver('src_001', {
        aiSummaryShort: text,
        completedAt: (await net.status()).at,
      });
      await until('the run exists', async () => (await net.get(pulsePath('src_001'))).json?.pulse?.jobRunId === run);
    };
    for (let at = 0; at < 33; at += 1) await deliver(`finding ${at} ${'wörter '.repeat(400)}`);
    const { text, json } = await net.get(path);
    assert.ok(json.runs.length >= 5 && json.runs.length <= 30, String(json.runs.length));
    assert.ok(Buffer.byteLength(JSON.stringify(json.runs)) <= 66_000, String(text.length));
    assert.match(json.runs[0].aiSummaryShort, /^finding 32 /);
    assert.equal(json.meta.complete, false);
    await net.push(402 * DAY_MS);
    await deliver('much later');
    const after = await until('old runs are gone', async () => {
      const { json: later } = await net.get(path);
      return later.runs.length <= 2 && later;
    });
    assert.match(after.runs[0].aiSummaryShort, /much later/);
    await net.bff.stop();
    for (const file of readdirSync(join(state, 'history')))
      assert.doesNotMatch(readFileSync(join(state, 'history', file), 'utf8'), /finding 12 /);
  });
});
