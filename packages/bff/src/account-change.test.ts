import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { activeSource, fullPulse } from '@pulse-card/contract/examples';
import type { Variables } from './config/variables.ts';
import { type FakeService, sendJson, startFakeService } from './testing/fake-service.ts';
import { until } from '../../testkit/src/until.ts';
import { serveBff } from './testing/served-bff.ts';
import { type TemporaryFolder, temporaryFolder } from './testing/temporary-folder.ts';

const KEYS = { a1: 'key-a1-0123456789', a2: 'key-a2-0123456789', b1: 'key-b1-0123456789' };

/** A service with two accounts, which have different pulses under the same ids. */
function answerByKey(request: IncomingMessage, response: ServerResponse): void {
  const owner = request.headers['x-api-key'] === KEYS.b1 ? 'b' : 'a';
  const account = { id: `acc_${owner}`, email: `${owner}@acme.test` };
  const meta = { account, requestedAt: new Date().toISOString() };
  const id = /^\/v1\/sources\/([^/]+)\/pulse$/.exec(request.url ?? '')?.[1];
  const sources = ['src_1', 'src_2', `src_only_${owner}`].map((each) => ({ ...activeSource, id: each }));
  if (id === undefined) return sendJson(response, 200, { meta, sources });
  sendJson(response, 200, { meta, pulse: { ...fullPulse, sourceId: id, jobRunId: `run_${owner}` } });
}

/** A BFF in this process. The rate window is so short that the first call is sent immediately. */
async function serve(service: FakeService, variables: Variables) {
  const quick = { PULSE_BASE_URL: service.url, PULSE_KEY_RELOAD_MS: '20', PULSE_RATE_WINDOW_MS: '1000' };
  const served = await serveBff({ ...quick, ...variables });
  /** The run that a reader sees, or the code of the error. */
  const run = async (id: string): Promise<string | undefined> => {
    const { body } = await served.read(id);
    return body.pulse?.jobRunId ?? body.code;
  };
  return { ...served, run };
}

const keysSent = ({ arrivals }: FakeService): string[] =>
  arrivals.map(({ rawHeaders }) => rawHeaders[rawHeaders.findIndex((name) => /^x-api-key$/i.test(name)) + 1] ?? '');

describe('The BFF, when it gets another account’s key (T-31)', () => {
  let folder: TemporaryFolder;
  beforeEach(() => (folder = temporaryFolder()));
  afterEach(() => folder.remove());

  it('serves nothing of the previous account after a restart, not even ids', async () => {
    await using service = await startFakeService(answerByKey);
    const variables = { PULSE_STATE_DIR: folder.path };
    {
      await using first = await serve(service, { ...variables, PULSE_API_KEY: KEYS.a1 });
      for (const id of ['src_1', 'src_2', 'src_only_a']) assert.equal(await first.run(id), 'run_a');
    }
    await using second = await serve(service, { ...variables, PULSE_API_KEY: KEYS.b1 });
    for (const id of ['src_1', 'src_2', 'src_only_b']) assert.equal(await second.run(id), 'run_b');
    assert.equal(await second.run('src_only_a'), 'source_unknown');
    assert.doesNotMatch(folder.texts().join(), /run_a|src_only_a/);
  });

  it('serves everything after a restart with another key for the same account', async () => {
    await using service = await startFakeService(answerByKey);
    const variables = { PULSE_STATE_DIR: folder.path, PULSE_FRESH_MS: '3600000' };
    {
      await using first = await serve(service, { ...variables, PULSE_API_KEY: KEYS.a1 });
      for (const id of ['src_1', 'src_2']) assert.equal(await first.run(id), 'run_a');
    }
    await using second = await serve(service, { ...variables, PULSE_API_KEY: KEYS.a2 });
    const before = service.arrivals.length;
    for (const id of ['src_1', 'src_2']) assert.equal(await second.run(id), 'run_a');
    assert.ok(service.arrivals.slice(before).every(({ url }) => url === '/v1/sources'));
  });

  it('drops the previous account’s data once the service has accepted the new key', async () => {
    await using service = await startFakeService(answerByKey);
    const keyFile = folder.file('key', KEYS.a1);
    await using bff = await serve(service, { PULSE_API_KEY_FILE: keyFile });
    assert.equal(await bff.run('src_1'), 'run_a');
    folder.file('key', KEYS.b1);
    await until('a call with the new key', () => keysSent(service).includes(KEYS.b1));
    await until('the answer for the new account', async () => (await bff.run('src_1')) === 'run_b');
    assert.equal(await bff.run('src_only_a'), 'source_unknown');
  });
});
