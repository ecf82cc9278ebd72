import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hashKey } from '../../keys/api-key.ts';
import { listKeys } from '../../keys/key-store.ts';
import { revokeKey } from '../../keys/key-store.ts';
import type { Answer } from '../check-answer.ts';
import { aRun, aSource } from '../documents.ts';
import type { TestService } from '../test-service.ts';

const DAY_MS = 86_400_000;
const INVALID = '{"success":false,"error":"Invalid or expired API key"}';

/** The service's guarantees for API keys. */
export function keyPromises(service: () => TestService): void {
  const idOf = (key: string) => key.split('_')[1]!;
  const status = async (key: string, path = '/v1/sources') => (await service().ask(path, { key })).status;

  describe('API keys (T-60, T-61, T-62)', () => {
    it('are required by both data operations', async () => {
      for (const path of ['/v1/sources', '/v1/sources/src_1/pulse']) {
        const { status, bytes } = await service().ask(path);
        assert.equal(status, 401, path);
        assert.equal(bytes.toString(), '{"success":false,"error":"Authentication required"}', path);
      }
    });

    it('count as missing if the header is empty', async () => {
      const { status, bytes } = await service().ask('/v1/sources', { key: '' });
      assert.equal(status, 401);
      assert.equal(bytes.toString(), '{"success":false,"error":"Authentication required"}');
    });

    it('are mentioned in WWW-Authenticate with every 401', async () => {
      for (const key of [undefined, '', 'wrong']) {
        const { status, headers } = await service().ask('/v1/sources', key === undefined ? {} : { key });
        assert.deepEqual([status, headers.get('www-authenticate')], [401, 'ApiKey header="X-API-Key"'], key);
      }
      const { key } = await service().account();
      assert.equal((await service().ask('/v1/sources', { key })).headers.get('www-authenticate'), null);
    });

    it('are read only from the header, never from the query', async () => {
      const { key } = await service().account();
      assert.equal((await service().ask(`/v1/sources?api_key=${key}&X-API-Key=${key}`)).status, 401);
    });

    it('belong to exactly one account', async () => {
      const [one, two] = await Promise.all(
        ['1', '2'].map((n) => service().account((acc) => ({ sources: [aSource(acc, `${acc}-${n}`)] }))),
      );
      assert.deepEqual(
        (await service().sources(one!.key)).map(({ id }) => id),
        [`${one!.id}-1`],
      );
      assert.deepEqual(
        (await service().sources(two!.key)).map(({ id }) => id),
        [`${two!.id}-2`],
      );
    });

    it('are rejected with the same bytes if unknown, malformed, revoked, expired, or too long', async () => {
      const { id, key } = await service().account();
      const revoked = await service().key(id);
      await revokeKey(service().db, idOf(revoked), service().clock.nowMs());
      const last = key.at(-1) === 'A' ? 'B' : 'A';
      const cases: Record<string, string> = {
        unknown: `pk_${'0'.repeat(16)}_${'A'.repeat(43)}`,
        'a known ID with another secret': `pk_${idOf(key)}_${'A'.repeat(43)}`,
        'one character off': key.slice(0, -1) + last,
        malformed: 'hello',
        'one character short': key.slice(0, -1),
        'one character more': `${key}A`,
        'another prefix': key.replace('pk_', 'sk_'),
        'in capitals': key.toUpperCase(),
        'sent twice': `${key}, ${key}`,
        'an SQL fragment': "' or 1=1 --",
        revoked,
        expired: await service().key(id, { expiresInDays: 1 / DAY_MS }),
        'too long': 'k'.repeat(10_000),
      };
      const seen = new Set<string>();
      for (const [reason, bad] of Object.entries(cases)) {
        service().clock.push(60_000);
        const answer = await service().ask('/v1/sources', { key: bad });
        assert.equal(answer.status, 401, reason);
        assert.equal(answer.bytes.toString(), INVALID, reason);
        seen.add(JSON.stringify(steadyHeaders(answer)));
      }
      assert.equal(seen.size, 1);
    });

    it('work until the millisecond before they expire', async () => {
      const { id } = await service().account();
      const key = await service().key(id, { expiresInDays: 1 });
      service().clock.push(DAY_MS - 1);
      assert.equal(await status(key), 200);
      service().clock.push(1);
      assert.equal(await status(key), 401);
    });

    it('expire after 90 days by default', async () => {
      const { id } = await service().account();
      const key = await service().key(id);
      service().clock.push(90 * DAY_MS - 1);
      assert.equal(await status(key), 200);
      service().clock.push(1);
      assert.equal(await status(key), 401);
    });

    it('stop working immediately when revoked while the server runs', async () => {
      const { key } = await service().account();
      assert.equal(await status(key), 200);
      assert.equal(await revokeKey(service().db, idOf(key), service().clock.nowMs()), true);
      assert.equal(await status(key), 401);
    });

    it('keep their original revocation time', async () => {
      const { key } = await service().account();
      const revokedAt = () =>
        service().db.selectFrom('api_keys').select('revoked_at').where('id', '=', idOf(key)).executeTakeFirst();
      await revokeKey(service().db, idOf(key), service().clock.nowMs());
      const first = await revokedAt();
      assert.equal(await revokeKey(service().db, idOf(key), service().clock.nowMs() + 1), true);
      assert.deepEqual(await revokedAt(), first);
    });

    it('can’t be revoked if they don’t exist', async () => {
      assert.equal(await revokeKey(service().db, 'nope', 0), false);
    });

    it('allow only what their scopes permit and get 403 otherwise', async () => {
      const { id } = await service().account((acc) => ({
        sources: [aSource(acc, `${acc}-s`)],
        connections: [{ id: `${acc}-c`, sourceId: `${acc}-s` }],
        runs: [aRun(`${acc}-c`, `${acc}-r`)],
      }));
      const lists = await service().key(id, { scopes: ['sources:read'] });
      const reads = await service().key(id, { scopes: ['pulses:read'] });
      assert.equal(await status(lists), 200);
      assert.equal(await status(lists, `/v1/sources/${id}-s/pulse`), 403);
      assert.equal(await status(reads), 403);
      assert.equal(await status(reads, `/v1/sources/${id}-s/pulse`), 200);
    });

    it('don’t reveal anything about a source without the scope', async () => {
      const { id } = await service().account((acc) => ({ sources: [aSource(acc, `${acc}-s`)] }));
      const key = await service().key(id, { scopes: ['sources:read'] });
      const bodies = await Promise.all(
        [`${id}-s`, 'unknown'].map(
          async (source) => (await service().ask(`/v1/sources/${source}/pulse`, { key })).bytes,
        ),
      );
      assert.deepEqual(bodies[0], bodies[1]);
    });

    it('are stored only as a hash', async () => {
      const { key } = await service().account();
      const rows = JSON.stringify(await service().db.selectFrom('api_keys').selectAll().execute());
      assert.ok(rows.includes(hashKey(key).toString('hex')));
      assert.ok(!rows.includes(key) && !rows.includes(key.split('_').slice(2).join('_')));
    });

    it('are listed with their state, but without the key itself or its hash', async () => {
      const { id, key } = await service().account();
      const expired = await service().key(id, { expiresInDays: 1 / DAY_MS });
      const revoked = await service().key(id);
      await revokeKey(service().db, idOf(revoked), service().clock.nowMs());
      const listed = await listKeys(service().db, service().clock.nowMs() + 1);
      const states = listed.filter(({ accountId }) => accountId === id).map((entry) => [entry.id, entry.state]);
      assert.deepEqual(
        new Map(states as [string, string][]),
        new Map([
          [idOf(key), 'active'],
          [idOf(expired), 'expired'],
          [idOf(revoked), 'revoked'],
        ]),
      );
      assert.ok(!JSON.stringify(listed).includes(hashKey(key).toString('hex')));
    });
  });
}

/** The names and values of all headers, except those that contain the time. */
function steadyHeaders({ headers }: Answer): [string, string][] {
  return [...headers].filter(([name]) => name !== 'date' && name !== 'x-ratelimit-reset');
}
