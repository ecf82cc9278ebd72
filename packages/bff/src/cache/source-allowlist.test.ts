import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SourceAllowlist, MAX_DISCOVERED } from './source-allowlist.ts';

function knowing(rule: Partial<ConstructorParameters<typeof SourceAllowlist>[0]>): SourceAllowlist {
  const ids = new SourceAllowlist({ listed: false, any: false, ids: [], ...rule });
  ids.addListed(['src_listed']);
  ids.discover('src_found');
  return ids;
}

describe('SourceAllowlist', () => {
  it('knows what the list has shown, where the rule follows the list', () => {
    const ids = knowing({ listed: true });
    assert.deepEqual([...ids.all], ['src_listed']);
    assert.equal(ids.allowsListing('src_other'), true);
  });

  it('knows what the operator names, and nothing else', () => {
    const ids = knowing({ ids: ['src_named'] });
    assert.deepEqual([...ids.all], ['src_named']);
    assert.deepEqual([ids.allowsListing('src_named'), ids.allowsListing('src_listed')], [true, false]);
  });

  it('knows both, where both are asked for', () => {
    assert.deepEqual([...knowing({ listed: true, ids: ['src_named'] }).all], ['src_named', 'src_listed']);
  });

  it('comes to know what was found, where any id may be tried', () => {
    assert.deepEqual([...knowing({ listed: true, any: true }).all], ['src_listed', 'src_found']);
  });

  it('says whether something new was met', () => {
    const ids = knowing({ listed: true });
    assert.deepEqual([ids.addListed(['src_listed']), ids.addListed(['src_listed', 'src_new'])], [false, true]);
  });

  it('forgets what was not listed for longest, beyond five thousand', () => {
    const ids = knowing({ listed: true, ids: ['src_named'] });
    ids.addListed(Array.from({ length: MAX_DISCOVERED - 1 }, (_, index) => `src_${index}`));
    assert.equal(ids.has('src_listed'), true);
    ids.addListed(['src_listed', 'src_new']);
    assert.deepEqual([ids.has('src_listed'), ids.has('src_0'), ids.has('src_1')], [true, false, true]);
    ids.addListed(Array.from({ length: 100_000 }, (_, index) => `junk_${index}`));
    assert.deepEqual([ids.has('src_named'), [...ids.all].length], [true, MAX_DISCOVERED + 1]);
  });

  it('T-43: is not taken in by names that every object has', () => {
    const ids = knowing({ listed: true });
    for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty']) assert.equal(ids.has(name), false);
  });
});
