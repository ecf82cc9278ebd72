import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { TestDatabases } from '../databases.ts';
import { aSource } from '../documents.ts';
import { TestService } from '../test-service.ts';

/**
 * The service's guarantees when something inside it fails. Each test has its own database, which it can break.
 */
export function failurePromises(databases: () => TestDatabases): void {
  describe('When the database fails', () => {
    let service: TestService;
    let key: string;
    beforeEach(async () => {
      service = await TestService.start(await databases().fresh());
      ({ key } = await service.account((acc) => ({ sources: [aSource(acc, 'src_1')] })));
    });
    afterEach(() => service.close());

    const lose = (table: 'runs' | 'sources' | 'api_keys' | 'accounts') =>
      service.db.schema.alterTable(table).renameTo(`lost_${table}`).execute();

    it('responds with 500 in the spec’s format, with the rate-window headers but without the cause', async () => {
      await lose('runs');
      const { status, bytes, headers } = await service.ask('/v1/sources/src_1/pulse', { key });
      assert.equal(status, 500);
      assert.equal(bytes.toString(), '{"success":false,"error":"Internal server error"}');
      assert.equal(headers.get('x-ratelimit-remaining'), '59');
    });

    it('logs the cause, without the key or a stack', async () => {
      await lose('sources');
      await service.ask('/v1/sources', { key });
      const failure = service.log.find((line) => line.includes('internal error')) ?? '';
      assert.match(failure, /"level":50.*sources/);
      assert.ok(!failure.includes(key) && !failure.includes('stack') && !failure.includes('    at '), failure);
    });

    it('responds with 500, not 401, if the key can’t be looked up', async () => {
      await lose('api_keys');
      const { status, json } = await service.ask('/v1/sources', { key });
      assert.equal(status, 500);
      assert.deepEqual(json, { success: false, error: 'Internal server error' });
    });

    it('continues to serve requests and recovers when the database does', async () => {
      await lose('sources');
      assert.equal((await service.ask('/v1/sources', { key })).status, 500);
      await service.db.schema.alterTable('lost_sources').renameTo('sources').execute();
      assert.equal((await service.ask('/v1/sources', { key })).status, 200);
    });

    it('responds to the health check with 503', async () => {
      assert.deepEqual((await service.ask('/healthz')).json, { status: 'ok' });
      await lose('accounts');
      const { status, json } = await service.ask('/healthz');
      assert.equal(status, 503);
      assert.deepEqual(json, { success: false, error: 'Database unreachable' });
    });

    it('counts calls in memory so that the limit still applies', async () => {
      await service.db.schema.dropTable('rate_windows').ifExists().execute();
      const statuses: number[] = [];
      for (let call = 0; call < 61; call += 1) statuses.push((await service.ask('/v1/sources', { key })).status);
      assert.deepEqual(statuses.slice(-2), [200, 429]);
    });
  });
}
