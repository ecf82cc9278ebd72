import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseSources } from './parse-sources.ts';

const source = { id: 'src_1', name: 'Q2 revenue', provider: 'GOOGLE', status: 'ACTIVE' };
const parse = (sources: unknown, meta: unknown = { stale: false }) => parseSources({ meta, sources });

describe('parseSources()', () => {
  it('keeps the list’s order and the fields that the BFF exposes', () => {
    const exposed = { link: 'https://dashboard.test/sources/src_2', connectionCount: 3 };
    const result = parse([source, { ...source, id: 'src_2', ...exposed }]);
    assert.deepEqual(result.ok && result.data, [
      { ...source, link: null },
      { ...source, id: 'src_2', ...exposed },
    ]);
  });

  it('marks an earlier list as stale', () =>
    assert.deepEqual(parse([], { stale: true }), { ok: true, data: [], stale: true }));

  it('removes invisible characters from a name and leaves a missing name null', () => {
    const result = parse([
      { ...source, name: null },
      { ...source, name: 'Q2\u202e' },
    ]);
    assert.deepEqual(result.ok && result.data.map(({ name }) => name), [null, 'Q2']);
  });

  for (const link of [
    'javascript:alert(1)',
    'http://dashboard.test',
    '//dashboard.test',
    'https://a@b.test',
    '',
    null,
    ['https://dashboard.test'],
  ]) {
    it(`drops the link ${JSON.stringify(link)}`, () => {
      const result = parse([{ ...source, link }]);
      assert.equal(result.ok && result.data[0]?.link, null);
    });
  }

  it('keeps a row with unreadable fields and omits a row without a readable ID', () => {
    const result = parse([
      { ...source, name: 7, provider: null, status: {} },
      { ...source, id: 'src/1' },
      { name: 'Q2' },
    ]);
    assert.deepEqual(result.ok && result.data, [{ ...source, name: null, provider: null, status: null, link: null }]);
  });

  for (const body of [
    null,
    1,
    'x',
    [],
    {},
    { sources: [] },
    { meta: {}, sources: {} },
    { meta: {}, sources: [null] },
  ]) {
    it(`returns invalid_answer for ${JSON.stringify(body)}`, () => {
      const result = parseSources(body);
      assert.equal(result.ok || result.code, 'invalid_answer');
    });
  }
});
