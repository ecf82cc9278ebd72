import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readSources } from './source-list.ts';

const source = { id: 'src_1', name: 'Q2 revenue', provider: 'GOOGLE', status: 'ACTIVE' };
const listOf = (sources: unknown, meta: unknown = { stale: false }) => readSources({ meta, sources });

describe('readSources()', () => {
  it('keeps the order of the list, and what the operator exposes', () => {
    const exposed = { link: 'https://dashboard.test/sources/src_2', connectionCount: 3 };
    const outcome = listOf([source, { ...source, id: 'src_2', ...exposed }]);
    assert.ok(outcome.ok);
    assert.deepEqual(outcome.pulse, [
      { ...source, link: null },
      { ...source, id: 'src_2', ...exposed },
    ]);
  });

  it('knows an earlier list', () =>
    assert.deepEqual(listOf([], { stale: true }), { ok: true, pulse: [], source: null, stale: true }));

  it('leaves out names that are missing, and what can not be seen', () => {
    const outcome = listOf([
      { ...source, name: null },
      { ...source, name: 'Q2\u202e' },
    ]);
    assert.deepEqual(outcome.ok && outcome.pulse.map(({ name }) => name), [null, 'Q2']);
  });

  for (const link of [
    'javascript:alert(1)',
    'http://dashboard.test',
    '//dashboard.test',
    'https://a@b.test',
    '',
    null,
    7,
  ]) {
    it(`sends nobody to ${JSON.stringify(link)}`, () => {
      const outcome = listOf([{ ...source, link }]);
      assert.equal(outcome.ok && outcome.pulse[0]?.link, null);
    });
  }

  for (const body of [
    null,
    1,
    'x',
    [],
    {},
    { sources: [] },
    { meta: {}, sources: {} },
    { meta: {}, sources: [null] },
    { meta: {}, sources: [{ name: 7 }] },
  ]) {
    it(`finds no list in ${JSON.stringify(body)}`, () => {
      const outcome = readSources(body);
      assert.equal(outcome.ok || outcome.code, 'invalid_answer');
    });
  }
});
