import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SOURCE_STATUSES, type SourcesBody } from '@pulse-card/contract';
import { aSource } from '../documents.ts';
import type { TestService } from '../test-service.ts';

/** The service's guarantees for `GET /v1/sources`. */
export function listingPromises(service: () => TestService): void {
  describe('GET /v1/sources', () => {
    it('responds with 200, the key’s account, and the request time in milliseconds', async () => {
      const { id, key } = await service().account();
      const { status, json } = await service().ask('/v1/sources', { key });
      assert.equal(status, 200);
      assert.deepEqual((json as SourcesBody).meta, {
        account: { id, email: `${id}@acme.test` },
        requestedAt: service().clock.iso,
      });
    });

    it('contains exactly the fields of a source', async () => {
      const { id, key } = await service().account((acc) => ({
        sources: [aSource(acc, `${acc}-s`)],
        connections: [
          { id: `${acc}-c1`, sourceId: `${acc}-s` },
          { id: `${acc}-c2`, sourceId: `${acc}-s` },
        ],
      }));
      assert.deepEqual(await service().sources(key), [
        {
          id: `${id}-s`,
          name: 'Q2 revenue',
          provider: 'GOOGLE',
          status: 'ACTIVE',
          link: `${service().url.replace('127.0.0.1', 'localhost')}/admin/sources/${id}-s`,
          connectionCount: 2,
          organizationId: `${id}-org`,
          organizationName: 'Acme',
          organizationSlug: 'acme',
        },
      ]);
    });

    it('contains null for a missing name, organization name, or slug', async () => {
      const { key } = await service().account((acc) => ({
        organizations: [{ id: `${acc}-org`, name: null, slug: null }],
        sources: [aSource(acc, `${acc}-s`, { name: null })],
      }));
      const [source] = await service().sources(key);
      assert.deepEqual([source?.name, source?.organizationName, source?.organizationSlug], [null, null, null]);
    });

    it('counts no connections for an unused source', async () => {
      const { key } = await service().account((acc) => ({ sources: [aSource(acc, `${acc}-s`)] }));
      assert.equal((await service().sources(key))[0]?.connectionCount, 0);
    });

    it('accepts every status and any provider code', async () => {
      const { key } = await service().account((acc) => ({
        sources: SOURCE_STATUSES.map((status) => aSource(acc, `${acc}-${status}`, { status, provider: `P_${status}` })),
      }));
      const shown = await service().sources(key);
      assert.deepEqual(
        shown.map(({ provider }) => provider).sort(),
        SOURCE_STATUSES.map((status) => `P_${status}`).sort(),
      );
      assert.deepEqual(shown.map(({ status }) => status).sort(), [...SOURCE_STATUSES].sort());
    });

    it('sorts by the latest change, then by the smaller ID', async () => {
      const late = '2026-05-08T09:00:00.001Z';
      const early = '2026-05-08T09:00:00.000Z';
      const moments = { m: early, c: early, b: late, z: early, A: early };
      const { id, key } = await service().account((acc) => ({
        sources: Object.entries(moments).map(([name, updatedAt]) => aSource(acc, `${acc}-${name}`, { updatedAt })),
      }));
      const ids = (await service().sources(key)).map((source) => source.id);
      assert.deepEqual(
        ids,
        ['b', 'A', 'c', 'm', 'z'].map((name) => `${id}-${name}`),
      );
    });

    it('compares times, not their spelling', async () => {
      const moments = { late: '2026-05-08T09:00:00+00:00', early: '2026-05-08T10:00:00.500+02:00' };
      const { id, key } = await service().account((acc) => ({
        sources: Object.entries(moments).map(([name, updatedAt]) => aSource(acc, `${acc}-${name}`, { updatedAt })),
      }));
      assert.equal((await service().sources(key))[0]?.id, `${id}-late`);
    });

    it('lists at most ten sources', async () => {
      const { id, key } = await service().account((acc) => ({
        sources: Array.from({ length: 12 }, (_, index) =>
          aSource(acc, `${acc}-${index}`, { updatedAt: new Date(Date.UTC(2026, 0, 1 + index)).toISOString() }),
        ),
      }));
      const ids = (await service().sources(key)).map((source) => source.id);
      assert.deepEqual(
        ids,
        [11, 10, 9, 8, 7, 6, 5, 4, 3, 2].map((index) => `${id}-${index}`),
      );
    });

    it('skips archived sources and doesn’t count them as part of the ten', async () => {
      const { id, key } = await service().account((acc) => ({
        sources: [
          ...Array.from({ length: 11 }, (_, index) => aSource(acc, `${acc}-${index}`, { archived: true })),
          aSource(acc, `${acc}-live`, { updatedAt: '2020-01-01T00:00:00.000Z' }),
        ],
      }));
      assert.deepEqual(
        (await service().sources(key)).map((source) => source.id),
        [`${id}-live`],
      );
    });

    it('doesn’t show anything from another account', async () => {
      await service().account((acc) => ({ sources: [aSource(acc, `${acc}-s`)] }));
      const { key } = await service().account();
      assert.deepEqual(await service().sources(key), []);
    });

    it('ignores query parameters, because the caller filters', async () => {
      const { key } = await service().account((acc) => ({ sources: [aSource(acc, `${acc}-s`)] }));
      const { json } = await service().ask('/v1/sources?provider=NONE&limit=0&__proto__[x]=1', { key });
      assert.equal((json as SourcesBody).sources.length, 1);
    });

    it('responds to HEAD with the same headers and no body', async () => {
      const { key } = await service().account();
      const { status, headers, bytes } = await service().ask('/v1/sources', { key, method: 'HEAD' });
      assert.equal(status, 200);
      assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
      assert.equal(bytes.length, 0);
    });
  });
}
