import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Request } from 'express';
import { access, type Permission, type PermissionCheck, permissionOf } from './access.ts';

const REQUEST = {} as Request;

function allows(sources: '*' | readonly string[], reader?: string): PermissionCheck {
  return async () => ({ sources: sources === '*' ? '*' : new Set(sources), reader });
}

/** What the checks allow in combination, and the IDs that become known. */
async function decide(...checks: readonly PermissionCheck[]) {
  const known: string[] = [];
  const permission = await permissionOf(REQUEST, checks, { allow: (ids) => void known.push(...ids) });
  return { ...permission, known };
}

function namesOf({ sources }: Permission): '*' | readonly string[] {
  return sources === '*' ? '*' : [...sources];
}

describe('permissionOf()', () => {
  for (const [one, other, both] of [
    [['src_a', 'src_b'], ['src_b', 'src_c'], ['src_b']],
    [['src_a'], ['src_b'], []],
    [['src_a'], [], []],
    [['src_a'], '*', ['src_a']],
    ['*', ['src_a'], ['src_a']],
    ['*', '*', '*'],
  ] as const)
    it(`allows ${JSON.stringify(both)} if one check allows ${JSON.stringify(one)} and the other ${JSON.stringify(other)}`, async () =>
      assert.deepEqual(namesOf(await decide(allows(one), allows(other))), both));

  it('allows every source if there are no checks', async () => assert.equal(namesOf(await decide()), '*'));

  it('returns the reader from the last check that identifies one', async () => {
    assert.equal((await decide(allows('*', 'ann'), allows('*', 'bob'))).reader, 'bob');
    assert.equal((await decide(allows('*', 'ann'), allows('*'))).reader, 'ann');
    assert.equal((await decide(allows('*'), allows('*'))).reader, undefined);
  });

  it('treats the IDs that a check returns as known', async () =>
    assert.deepEqual((await decide(allows(['src_a']), allows('*'))).known, ['src_a']));

  it('rejects a request if any check rejects it', async () => {
    const refuses: PermissionCheck = () => Promise.reject(new Error('no'));
    await assert.rejects(decide(allows('*'), refuses), /no/);
    await assert.rejects(decide(refuses, allows('*')), /no/);
  });
});

describe('access()', () => {
  const run = async (check: PermissionCheck, facts: object = {}) => {
    const res = { locals: {}, headers: new Map<string, string>(), ...facts };
    Object.assign(res, { setHeader: (name: string, value: string) => res.headers.set(name, value) });
    let isNext = false;
    const handle = access([check], { allow: () => {} });
    await handle(REQUEST as never, res as never, () => (isNext = true));
    return { ...res, isNext };
  };

  it('tells later handlers what the request can see and who its reader is', async () => {
    const { locals, headers, isNext } = await run(allows(['src_a'], 'änn\uD800'));
    assert.deepEqual(locals, { sources: new Set(['src_a']), reader: 'änn\uD800' });
    assert.deepEqual([headers.get('Pulse-Reader'), isNext], ['%C3%A4nn%EF%BF%BD', true]);
  });

  it('ends if the application has responded itself', async () =>
    assert.equal((await run(allows('*'), { headersSent: true })).isNext, false));
});
