import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MAX_ADMITTED, MAX_LISTED, SourceAllowlist } from './source-allowlist.ts';

function knowing(rule: Partial<ConstructorParameters<typeof SourceAllowlist>[0]>): SourceAllowlist {
  const ids = new SourceAllowlist({ listed: false, ids: [], ...rule });
  ids.addListed(['src_listed']);
  return ids;
}

describe('SourceAllowlist', () => {
  it('keeps the latest ten thousand admitted ids and all listed ids', () => {
    const ids = knowing({ listed: true });
    ids.admit(['src_a', 'src_b']);
    ids.admit(Array.from({ length: MAX_ADMITTED - 2 }, (_, index) => `src_${index}`));
    ids.admit(['src_a', 'src_new']);
    assert.deepEqual([ids.has('src_a'), ids.has('src_b'), ids.has('src_listed')], [true, false, true]);
  });

  it('keeps five thousand listed ids, and forgets the ids that were listed longest ago', () => {
    const ids = knowing({ listed: true, ids: ['src_named'] });
    ids.addListed(Array.from({ length: MAX_LISTED - 1 }, (_, index) => `src_${index}`));
    assert.equal(ids.has('src_listed'), true);
    ids.addListed(['src_listed', 'src_new']);
    assert.deepEqual([ids.has('src_listed'), ids.has('src_0'), ids.has('src_1')], [true, false, true]);
    ids.addListed(Array.from({ length: 100_000 }, (_, index) => `junk_${index}`));
    assert.deepEqual([ids.has('src_named'), [...ids.all].length], [true, MAX_LISTED + 1]);
  });
});
