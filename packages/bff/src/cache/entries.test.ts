import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pulseOf } from '../testing/fake-upstream.ts';
import { Entries } from './entries.ts';
import { SourceAllowlist } from './source-allowlist.ts';

describe('Entries', () => {
  it('is limited by the size of its text in bytes', () => {
    const entries = new Entries({ ids: new SourceAllowlist({ listed: true, ids: [] }) });
    for (let source = 0; source < 1_000; source += 1) {
      const value = pulseOf(`src_${source}`, 'run_1', { aiSummaryLong: 'x'.repeat(60_000) });
      entries.store(`src_${source}`, { value, fencingToken: 1, requestedAt: 0, requestedAtMs: 1 });
    }
    assert.equal(entries.get('src_0'), undefined);
    assert.ok(entries.get('src_999'));
  });
});
