import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PulseBody } from '@pulse-card/contract';
import { chartIdOf } from '../../pulses/chart.ts';
import { pngOf } from '../chart-file.ts';
import { aRun, aSource } from '../documents.ts';
import type { TestService } from '../test-service.ts';

/** The service's guarantees for `GET /v1/sources/{sourceId}/pulse`. */
export function pulsePromises(service: () => TestService): void {
  /** An account with one source `s`, two connections `c1` and `c2`, and the runs that `runs` returns. */
  const withRuns = (runs: (acc: string) => Record<string, unknown>[], source: Record<string, unknown> = {}) =>
    service().account((acc) => ({
      sources: [aSource(acc, `${acc}-s`, source)],
      connections: ['c1', 'c2'].map((name) => ({ id: `${acc}-${name}`, sourceId: `${acc}-s` })),
      runs: runs(acc),
    }));

  describe('GET /v1/sources/{sourceId}/pulse', () => {
    it('responds with 200, the key’s account, the request time, and the pulse', async () => {
      const { id, key } = await withRuns((acc) => [aRun(`${acc}-c1`, `${acc}-r`)]);
      const { status, json } = await service().ask(`/v1/sources/${id}-s/pulse`, { key });
      const { meta, pulse } = json as PulseBody;
      assert.equal(status, 200);
      assert.deepEqual(meta, { account: { id, email: `${id}@acme.test` }, requestedAt: service().clock.iso });
      assert.equal(pulse.jobRunId, `${id}-r`);
    });

    it('contains exactly the fields of a pulse', async () => {
      const png = pngOf(1);
      const { id, key } = await service().account(
        (acc) => ({
          sources: [aSource(acc, `${acc}-s`)],
          connections: [{ id: `${acc}-c`, sourceId: `${acc}-s` }],
          runs: [
            aRun(`${acc}-c`, `${acc}-r`, { image: 'charts/r.png', deliveryLink: 'https://chat.acme.test/archives/C1' }),
          ],
        }),
        { 'charts/r.png': png },
      );
      assert.deepEqual(await service().pulse(key, `${id}-s`), {
        jobRunId: `${id}-r`,
        sourceId: `${id}-s`,
        sourceName: 'Q2 revenue',
        status: 'SUCCESS',
        completedAt: '2026-05-08T09:00:12.000Z',
        imageUrl: `${service().url.replace('127.0.0.1', 'localhost')}/charts/${chartIdOf(png)}.png`,
        aiSummaryShort: 'Revenue rose 12 %.',
        aiSummaryLong: 'Revenue rose **12 %** in the second quarter.',
        deliveryLink: 'https://chat.acme.test/archives/C1',
        organizationId: `${id}-org`,
        organizationName: 'Acme',
        organizationSlug: 'acme',
      });
    });

    it('contains null for each field that a run lacks', async () => {
      const nulls = { sourceName: null, completedAt: null, image: null, aiSummaryShort: null, aiSummaryLong: null };
      const { id, key } = await service().account((acc) => ({
        organizations: [{ id: `${acc}-org`, name: null, slug: null }],
        sources: [aSource(acc, `${acc}-s`)],
        connections: [{ id: `${acc}-c`, sourceId: `${acc}-s` }],
        runs: [aRun(`${acc}-c`, `${acc}-r`, { ...nulls, deliveryLink: null })],
      }));
      assert.deepEqual(await service().pulse(key, `${id}-s`), {
        jobRunId: `${id}-r`,
        sourceId: `${id}-s`,
        sourceName: null,
        status: 'SUCCESS',
        completedAt: null,
        imageUrl: null,
        aiSummaryShort: null,
        aiSummaryLong: null,
        deliveryLink: null,
        organizationId: `${id}-org`,
        organizationName: null,
        organizationSlug: null,
      });
    });

    it('returns the newest successful run across all of the source’s connections', async () => {
      const { id, key } = await withRuns((acc) => [
        aRun(`${acc}-c1`, `${acc}-old`, { completedAt: '2026-05-01T00:00:00.000Z' }),
        aRun(`${acc}-c2`, `${acc}-new`, { completedAt: '2026-05-03T00:00:00.000Z' }),
        aRun(`${acc}-c1`, `${acc}-mid`, { completedAt: '2026-05-02T00:00:00.000Z' }),
      ]);
      assert.partialDeepStrictEqual(await service().pulse(key, `${id}-s`), { jobRunId: `${id}-new` });
    });

    it('skips newer runs that failed', async () => {
      const { id, key } = await withRuns((acc) => [
        aRun(`${acc}-c1`, `${acc}-good`, { completedAt: '2026-05-01T00:00:00.000Z' }),
        aRun(`${acc}-c1`, `${acc}-bad`, { completedAt: '2026-05-02T00:00:00.000Z', status: 'FAILED' }),
      ]);
      assert.partialDeepStrictEqual(await service().pulse(key, `${id}-s`), { jobRunId: `${id}-good` });
    });

    it('breaks ties by the greater run ID', async () => {
      const { id, key } = await withRuns((acc) =>
        ['a', 'z', 'Z', 'b'].map((run) => aRun(`${acc}-c1`, `${acc}-${run}`)),
      );
      assert.partialDeepStrictEqual(await service().pulse(key, `${id}-s`), { jobRunId: `${id}-z` });
    });

    it('treats a run without completedAt as the oldest', async () => {
      const { id, key } = await withRuns((acc) => [
        aRun(`${acc}-c1`, `${acc}-z`, { completedAt: null }),
        aRun(`${acc}-c1`, `${acc}-a`, { completedAt: '2001-01-01T00:00:00.000Z' }),
      ]);
      assert.partialDeepStrictEqual(await service().pulse(key, `${id}-s`), { jobRunId: `${id}-a` });
    });

    it('uses the source’s name at the time of the run', async () => {
      const { id, key } = await withRuns((acc) => [aRun(`${acc}-c1`, `${acc}-r`, { sourceName: 'Old name' })], {
        name: 'New name',
      });
      assert.partialDeepStrictEqual(await service().pulse(key, `${id}-s`), { sourceName: 'Old name' });
      assert.equal((await service().sources(key))[0]?.name, 'New name');
    });

    it('finds a source that the list of ten no longer shows', async () => {
      const { id, key } = await service().account((acc) => ({
        sources: [
          ...Array.from({ length: 10 }, (_, index) => aSource(acc, `${acc}-${index}`)),
          aSource(acc, `${acc}-old`, { updatedAt: '2001-01-01T00:00:00.000Z' }),
        ],
        connections: [{ id: `${acc}-c`, sourceId: `${acc}-old` }],
        runs: [aRun(`${acc}-c`, `${acc}-r`)],
      }));
      assert.partialDeepStrictEqual(await service().pulse(key, `${id}-old`), { jobRunId: `${id}-r` });
    });

    it('responds with the same 404 for every reason', async () => {
      const other = await withRuns((acc) => [aRun(`${acc}-c1`, `${acc}-r`)]);
      const archived = await withRuns((acc) => [aRun(`${acc}-c1`, `${acc}-r`)], { archived: true });
      const failed = await withRuns((acc) => [aRun(`${acc}-c1`, `${acc}-r`, { status: 'FAILED' })]);
      const idle = await withRuns(() => []);
      const cases: Record<string, [key: string, sourceId: string]> = {
        'never ran': [idle.key, `${idle.id}-s`],
        'only failed': [failed.key, `${failed.id}-s`],
        archived: [archived.key, `${archived.id}-s`],
        "another account's": [await service().key(idle.id), `${other.id}-s`],
        unknown: [await service().key(idle.id), 'src_unknown'],
        'a traversal': [await service().key(idle.id), '..%2f..%2fopenapi.yaml'],
        'a NUL': [await service().key(idle.id), 'a%00b'],
        'a line break': [await service().key(idle.id), 'a%0d%0aX-Evil:1'],
        'too long': [await service().key(idle.id), 'a'.repeat(129)],
        'beyond ASCII': [await service().key(idle.id), encodeURIComponent('источник')],
      };
      for (const [reason, [key, sourceId]] of Object.entries(cases)) {
        const { status, bytes, headers } = await service().ask(`/v1/sources/${sourceId}/pulse`, { key });
        assert.equal(status, 404, reason);
        assert.equal(bytes.toString(), '{"success":false,"error":"No pulse found for this source"}', reason);
        assert.equal(headers.get('x-ratelimit-remaining'), '59', reason);
      }
    });
  });
}
