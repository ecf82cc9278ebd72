import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import openapiTS, { astToString } from 'openapi-typescript';
import { sqliteDatabases, type TestDatabases } from '../testing/databases.ts';
import { aRun, aSource } from '../testing/documents.ts';
import { TestService } from '../testing/test-service.ts';

const run = promisify(execFile);
/**
 * The folder is inside the package, so that the client can import the package's libraries. It is never committed.
 */
const CACHE = fileURLToPath(new URL('../../.cache/', import.meta.url));
const TSC = createRequire(import.meta.url).resolve('typescript/bin/tsc');

const CLIENT = `
import createClient from 'openapi-fetch';
import type { components, paths } from './api.ts';

const [baseUrl = '', key = ''] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl, headers: { 'X-API-Key': key } });

const list = await client.GET('/v1/sources');
if (list.error) throw new Error(list.error.error);
const source: components['schemas']['Source'] | undefined = list.data.sources[0];
if (source === undefined) throw new Error('no source');

const answer = await client.GET('/v1/sources/{sourceId}/pulse', { params: { path: { sourceId: source.id } } });
if (answer.error) throw new Error(answer.error.error);
const status: 'SUCCESS' = answer.data.pulse.status;
const summary: string | null = answer.data.pulse.aiSummaryShort;

const missing = await client.GET('/v1/sources/{sourceId}/pulse', { params: { path: { sourceId: 'none' } } });
const message: string | undefined = missing.error?.error;
console.log(JSON.stringify({ email: list.data.meta.account.email, id: source.id, status, summary, message }));
`;

const WRONG_CLIENT = CLIENT.replace('list.data.sources[0]', 'list.data.sauces[0]');

describe('A client generated from the description', () => {
  let databases: TestDatabases;
  let service: TestService;
  let folder: string;
  before(async () => {
    databases = await sqliteDatabases();
    service = await TestService.start(await databases.fresh());
    // Checks that the client's library exists. Otherwise, the test would fail later, with what looks like an error in
    // the client.
    import.meta.resolve('openapi-fetch');
    mkdirSync(CACHE, { recursive: true });
    folder = mkdtempSync(join(CACHE, 'client-'));
    const { bytes } = await service.ask('/v1/openapi.yaml');
    writeFileSync(join(folder, 'api.ts'), astToString(await openapiTS(bytes.toString())));
    writeFileSync(join(folder, 'client.mts'), CLIENT);
    writeFileSync(join(folder, 'wrong-client.mts'), WRONG_CLIENT);
  });
  after(async () => {
    rmSync(folder, { recursive: true, force: true });
    await service.close();
    await databases.stop();
  });

  it('compiles in strict mode, unless it uses a field that doesn’t exist', async () => {
    const files = ['client.mts', 'wrong-client.mts'].map((file) => join(folder, file));
    await assert.rejects(run(process.execPath, [TSC, ...STRICT, ...files]), ({ stdout }: { stdout: string }) => {
      assert.match(stdout.trim(), /^[^\n]*wrong-client\.mts[^\n]*'sauces'[^\n]*$/);
      return true;
    });
  });

  it('works against the running service', async () => {
    const { id, key } = await service.account((acc) => ({
      sources: [aSource(acc, `${acc}-s`)],
      connections: [{ id: `${acc}-c`, sourceId: `${acc}-s` }],
      runs: [aRun(`${acc}-c`, `${acc}-r`)],
    }));
    const { stdout } = await run(process.execPath, [join(folder, 'client.mts'), service.url, key]);
    assert.deepEqual(JSON.parse(stdout), {
      email: `${id}@acme.test`,
      id: `${id}-s`,
      status: 'SUCCESS',
      summary: 'Revenue rose 12%.',
      message: 'No pulse found for this source',
    });
  });
});

const STRICT =
  '--noEmit --strict --exactOptionalPropertyTypes --noUncheckedIndexedAccess --allowImportingTsExtensions --skipLibCheck --module nodenext --target es2022 --lib es2022,dom,dom.iterable --types node'.split(
    ' ',
  );
