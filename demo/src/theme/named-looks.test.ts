import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MAX_LOOK_NAME, namedLooksIn, withNamedLook, withoutNamedLook, withRenamedLook } from './named-looks.ts';

const NEWS = { name: 'News', query: 'accent=b00020.' };
const SHOP = { name: 'Shop', query: 'accent=006600.' };

describe('namedLooksIn()', () => {
  it('reads stored looks', () => assert.deepEqual(namedLooksIn(JSON.stringify([NEWS, SHOP])), [NEWS, SHOP]));

  for (const text of [null, '', '{}', 'null', '[1, {"name": "A"}, {"name": "", "query": ""}]'])
    it(`finds no looks in ${text}`, () => assert.deepEqual(namedLooksIn(text), []));
});

describe('withNamedLook()', () => {
  it('sorts looks by name', () => assert.deepEqual(withNamedLook([SHOP], NEWS), [NEWS, SHOP]));

  it('replaces a look with the same name', () =>
    assert.deepEqual(withNamedLook([NEWS, SHOP], { name: 'News', query: 'look=own' }), [
      { name: 'News', query: 'look=own' },
      SHOP,
    ]));

  it('truncates a long name', () =>
    assert.equal(withNamedLook([], { name: 'x'.repeat(99), query: '' })[0]?.name.length, MAX_LOOK_NAME));
});

describe('withRenamedLook()', () => {
  it('saves the look under the new name', () =>
    assert.deepEqual(withRenamedLook([NEWS, SHOP], 'News', 'Zeitung'), [SHOP, { ...NEWS, name: 'Zeitung' }]));

  it('replaces the look that already has the new name', () =>
    assert.deepEqual(withRenamedLook([NEWS, SHOP], 'News', 'Shop'), [{ ...NEWS, name: 'Shop' }]));

  it('doesn’t change anything if no look has that name', () =>
    assert.deepEqual(withRenamedLook([NEWS], 'Shop', 'Store'), [NEWS]));
});

describe('withoutNamedLook()', () => {
  it('removes only the look with that name', () => assert.deepEqual(withoutNamedLook([NEWS, SHOP], 'News'), [SHOP]));
});
