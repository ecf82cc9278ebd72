import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { mintToken } from '@pulse-card/token';
import inject from 'light-my-request';
import { type Bff, openBff } from './bff.ts';
import { readConfig } from './config.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';
import { startTestUpstream } from './testing/test-upstream.ts';

const PULSE = '/v1/sources/src_1/pulse';
const PUBLIC_URL = 'https://pulse.test';
/** No file is reread during a test unless the test asks for it. */
const NEVER_BY_ITSELF = { PULSE_KEY_RELOAD_MS: '3600000', PULSE_PUBLIC_URL: PUBLIC_URL };
const KEYS = ['one', 'two'].map((kid) => ({ kid, secret: `a-secret-of-the-test-with-32-bytes-${kid}` }));

async function open(t: TestContext, variables: Readonly<Record<string, string>>) {
  const service = await startTestUpstream({ pulses: [{ sourceId: 'src_1', imageUrl: 'https://cdn.acme.test/a.png' }] });
  const bff = await openBff(readConfig({ ...service.variables, ...NEVER_BY_ITSELF, ...variables }));
  t.after(async () => {
    await bff.close();
    await service.close();
  });
  return { bff, service };
}

function ask({ app }: Bff, url = PULSE, headers: Readonly<Record<string, string>> = {}) {
  return inject(app, { url, headers });
}

describe('openBff()', () => {
  it('rereads the key, token, and withheld files on reload()', async (t) => {
    using folder = temporaryFolder();
    const [one, two] = KEYS;
    assert.ok(one && two);
    const files = {
      PULSE_ACCESS: 'token',
      PULSE_TOKEN_KEYS_FILE: folder.file('keys', JSON.stringify([one])),
      PULSE_WITHHELD_FILE: folder.file('withheld', ''),
      PULSE_SOURCES: 'src_other',
      PULSE_API_KEY: '',
      PULSE_API_KEY_FILE: folder.file('key', 'key-of-a-test'),
    };
    const { bff } = await open(t, files);
    const token = await mintToken(two, { audience: PUBLIC_URL, sources: ['src_1'] });
    const headers = { authorization: `Bearer ${token}` };
    assert.equal((await ask(bff, PULSE, headers)).statusCode, 401);
    folder.file('keys', JSON.stringify([two]));
    folder.file('withheld', 'run_1\n');
    folder.file('key', 'invalid');
    await bff.reload();
    const { statusCode, body } = await ask(bff, PULSE, headers);
    assert.deepEqual([statusCode, /"withheld":true/.test(body), /Revenue rose/.test(body)], [200, true, false]);
    // The operator also sees sources that only a token names.
    const ofStudio = { host: 'localhost', 'x-pulse-studio': '1' };
    const studio = await inject(bff.admin, { url: `/studio/api/bff${PULSE}`, headers: ofStudio });
    assert.equal(studio.statusCode, 200);
    const status = await inject(bff.admin, { url: '/status', headers: ofStudio });
    assert.match(status.body, /"keyFile": \{\s*"state": "invalid"/);
  });

  it('lists a source that only a token names to the token’s reader, and to no one else', async (t) => {
    using folder = temporaryFolder();
    const keys = { PULSE_ACCESS: 'token', PULSE_TOKEN_KEYS_FILE: folder.file('keys', JSON.stringify(KEYS)) };
    const { bff } = await open(t, { ...keys, PULSE_SOURCES: 'src_other' });
    const listFor = async (sources: '*' | string[]) => {
      const token = await mintToken(KEYS[0]!, { audience: PUBLIC_URL, sources });
      return JSON.parse((await ask(bff, '/v1/sources', { authorization: `Bearer ${token}` })).body).sources;
    };
    assert.deepEqual(
      (await listFor(['src_1'])).map(({ id }: { id: string }) => id),
      ['src_1'],
    );
    assert.deepEqual(await listFor('*'), []);
  });

  it('ends all its timers when it closes', async (t) => {
    const timers = t.mock.method(globalThis, 'setTimeout').mock;
    const { bff } = await open(t, { PULSE_ALERT_URL: 'http://127.0.0.1:9' });
    await ask(bff);
    await bff.close();
    const pending = timers.calls.filter(({ result }) => !(result as { _destroyed?: boolean })._destroyed);
    assert.equal(pending.length, 0);
  });

  it('doesn’t count the operator’s own requests as views', async (t) => {
    const { bff } = await open(t, {});
    const headers = { host: 'localhost', 'x-pulse-studio': '1' };
    assert.equal((await inject(bff.admin, { url: `/studio/api/bff${PULSE}`, headers })).statusCode, 200);
    const { body } = await inject(bff.admin, { url: '/status', headers });
    const { sources } = JSON.parse(body) as { sources: { viewsPerMinute: number }[] };
    const views = sources.map(({ viewsPerMinute }) => viewsPerMinute);
    assert.deepEqual(views, [0]);
  });

  it('withholds a run even if its bodies are already cached', async (t) => {
    using folder = temporaryFolder();
    const { bff } = await open(t, {
      PULSE_WITHHELD_FILE: folder.file('withheld', ''),
      PULSE_FRESH_MS: '600000',
      PULSE_HISTORY: '5',
    });
    const paths = [
      PULSE,
      '/v1/pulses?ids=src_1',
      '/embed/src_1',
      ...['fragment', 'runs'].map((each) => `/v1/sources/src_1/${each}`),
    ];
    paths.push(`/oembed?url=${encodeURIComponent(`${PUBLIC_URL}/embed/src_1`)}`);
    for (const path of paths) assert.match((await ask(bff, path)).body, /Revenue rose/, path);
    folder.file('withheld', 'run_1\n');
    await bff.reload();
    for (const path of paths) assert.doesNotMatch((await ask(bff, path)).body, /Revenue rose/, path);
  });

  it('has the earlier runs from the state folder when it opens', async (t) => {
    using folder = temporaryFolder();
    const variables = { PULSE_STATE_DIR: folder.path, PULSE_HISTORY: '5', PULSE_FRESH_MS: '600000' };
    const { bff, service } = await open(t, variables);
    await ask(bff);
    await bff.close();
    const next = await openBff(readConfig({ ...service.variables, ...NEVER_BY_ITSELF, ...variables }));
    t.after(() => next.close());
    const { body } = await ask(next, '/v1/sources/src_1/runs');
    const runs = JSON.parse(body).runs.map(({ jobRunId }: { jobRunId: string }) => jobRunId);
    assert.deepEqual(runs, ['run_1']);
  });

  it('isn’t ready once it begins to stop, but continues to respond and closes connections', async (t) => {
    const { bff } = await open(t, {});
    assert.equal((await ask(bff)).statusCode, 200);
    assert.equal((await ask(bff, '/readyz')).statusCode, 200);
    bff.beginStop();
    const [ready, pulse] = [await ask(bff, '/readyz'), await ask(bff)];
    assert.deepEqual([ready.statusCode, pulse.statusCode, pulse.headers['connection']], [503, 200, 'close']);
  });

  it('reports rejected origins and requests by route to the operator', async (t) => {
    const { bff } = await open(t, { PULSE_ALLOWED_ORIGINS: 'https://site.test' });
    await ask(bff);
    await ask(bff, PULSE, { origin: 'https://elsewhere.test' });
    const status = async () => inject(bff.admin, { url: '/status', headers: { host: 'localhost' } });
    const { refusals } = JSON.parse((await status()).body) as { refusals: Record<string, unknown> };
    assert.deepEqual(refusals['origin_forbidden'], { 'https://elsewhere.test': 1 });
    const metrics = await inject(bff.admin, { url: '/metrics', headers: { host: 'localhost' } });
    assert.match(metrics.body, /route="\/v1\/sources\/:sourceId\/pulse"/);
  });

  it('re-signs chart URLs before they expire, even in unchanged bodies', async (t) => {
    using folder = temporaryFolder();
    const [key] = KEYS;
    assert.ok(key);
    const { bff } = await open(t, {
      PULSE_ACCESS: 'token',
      PULSE_TOKEN_KEYS_FILE: folder.file('keys', JSON.stringify([key])),
      PULSE_IMAGES: 'proxy',
      PULSE_FRESH_MS: '600000',
    });
    const pulse = async () => {
      const token = await mintToken(key, { audience: PUBLIC_URL, sources: ['src_1'] });
      const { body } = await ask(bff, PULSE, { authorization: `Bearer ${token}` });
      const answer = JSON.parse(body) as { meta: { requestedAt: string }; pulse: { imageUrl: string } };
      return { ...answer.meta, url: answer.pulse.imageUrl };
    };
    const before = await pulse();
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 3_600_000 });
    const after = await pulse();
    assert.equal(after.requestedAt, before.requestedAt);
    assert.notEqual(after.url, before.url);
  });
});
