import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { RunsAnswer, SourcesAnswer } from '@pulse-card/contract';
import { mintToken } from '@pulse-card/token';
import inject from 'light-my-request';
import { until } from '../../testkit/src/until.ts';
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

async function runsOf(bff: Bff): Promise<readonly string[]> {
  const { runs } = JSON.parse((await ask(bff, '/v1/sources/src_1/runs')).body) as RunsAnswer;
  return runs.map(({ jobRunId }) => jobRunId);
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
      const { body } = await ask(bff, '/v1/sources', { authorization: `Bearer ${token}` });
      return (JSON.parse(body) as SourcesAnswer).sources.map(({ id }) => id);
    };
    assert.deepEqual(await listFor(['src_1']), ['src_1']);
    assert.deepEqual(await listFor('*'), []);
    assert.ok(!(await bff.pulse('src_1')).ok, 'the application has no token');
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

  it('lists each run as soon as it is known, newest first, without a call to the service', async (t) => {
    const { bff, service } = await open(t, { PULSE_HISTORY: '5', PULSE_FRESH_MS: '1' });
    await ask(bff);
    assert.deepEqual(await runsOf(bff), ['run_1']);
    service.deliver({ sourceId: 'src_1', jobRunId: 'run_2' });
    await until('run_2 is known', async () => (await ask(bff)).body.includes('run_2'));
    const calls = service.requests.length;
    assert.deepEqual(await runsOf(bff), ['run_2', 'run_1']);
    assert.equal(service.requests.length, calls);
  });

  it('has the earlier runs from the state folder when it opens', async (t) => {
    using folder = temporaryFolder();
    const variables = { PULSE_STATE_DIR: folder.path, PULSE_HISTORY: '5', PULSE_FRESH_MS: '600000' };
    const { bff, service } = await open(t, variables);
    await ask(bff);
    await bff.close();
    const next = await openBff(readConfig({ ...service.variables, ...NEVER_BY_ITSELF, ...variables }));
    t.after(() => next.close());
    assert.deepEqual(await runsOf(next), ['run_1']);
  });

  it('returns a 404 for runs that names the variable if PULSE_HISTORY is 0', async (t) => {
    const { bff } = await open(t, {});
    const { statusCode, body } = await ask(bff, '/v1/sources/src_1/runs');
    assert.equal(statusCode, 404);
    assert.match(body, /PULSE_HISTORY/);
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
});
