import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import openapiTS, { astToString } from 'openapi-typescript';
import { serveApp } from '../../testing/served-app.ts';

const run = promisify(execFile);

/**
 * The folder is inside the package, so that the client can import the package's libraries. It is never committed.
 */
const CACHE = fileURLToPath(new URL('../../../.cache/', import.meta.url));

/** The compiler of the TypeScript version that the generator uses. */
const TSC = createRequire(import.meta.url).resolve('typescript/bin/tsc');

const STRICT = `--noEmit --strict --exactOptionalPropertyTypes --noUncheckedIndexedAccess --allowImportingTsExtensions
  --skipLibCheck --module nodenext --target es2022 --lib es2022,dom,dom.iterable --types node`.split(/\s+/);

const CLIENT = `
import createClient from 'openapi-fetch';
import type { components, paths } from './api.ts';

const client = createClient<paths>({ baseUrl: process.argv[2] ?? '' });

const list = await client.GET('/v1/sources', { params: { query: { provider: 'GOOGLE' } } });
if (list.error) throw new Error(list.error.error);
const source: components['schemas']['PublicSource'] = list.data.sources[0]!;

const answer = await client.GET('/v1/sources/{sourceId}/pulse', { params: { path: { sourceId: source.id } } });
if (answer.error) throw new Error(answer.error.error);
const stale: boolean = answer.data.meta.stale;

const page = await client.GET('/v1/pulses', { params: { query: { ids: source.id + ',src_bare' } } });
const outcomes = page.data?.pulses.map((outcome) => (outcome.ok ? outcome.pulse.jobRunId : outcome.code));

const missing = await client.GET('/v1/sources/{sourceId}/pulse', { params: { path: { sourceId: 'none' } } });
// @ts-expect-error The account is never sent to readers.
answer.data.meta.account;
console.log(JSON.stringify({ id: source.id, stale, outcomes, code: missing.error?.code }));
`;

describe('A client generated from the description', () => {
  it('compiles under strict rules, and works against the running BFF', async () => {
    await using app = await serveApp();
    mkdirSync(CACHE, { recursive: true });
    using folder = mkdtempDisposableSync(join(CACHE, 'client-'));
    const description = await (await fetch(`${app.url}/v1/openapi.yaml`)).text();
    const client = join(folder.path, 'client.mts');
    writeFileSync(join(folder.path, 'api.ts'), astToString(await openapiTS(description)));
    writeFileSync(client, CLIENT);
    await run(process.execPath, [TSC, ...STRICT, client]);
    const { stdout } = await run(process.execPath, [client, app.url]);
    assert.deepEqual(JSON.parse(stdout), {
      id: 'src_1',
      stale: false,
      outcomes: ['run_1', 'pulse_not_found'],
      code: 'source_unknown',
    });
  });
});
