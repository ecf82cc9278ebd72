import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pulseOf } from '../testing/fake-upstream.ts';
import { Entries } from './entries.ts';
import { SourceAllowlist } from './source-allowlist.ts';

function openEntries(): Entries {
  return new Entries(new SourceAllowlist({ listed: true, ids: [] }));
}

function answerOf<Value>(value: Value, fencingToken: number) {
  return { value, fencingToken, requestedAt: 0, requestedAtMs: 1 };
}

/** Stores an answer about `src_1`. */
function store(entries: Entries, jobRunId: string, fencingToken = 1): boolean {
  return entries.store('src_1', answerOf(pulseOf('src_1', jobRunId), fencingToken));
}

describe('Entries', () => {
  it('makes a new snapshot of each answer, which is younger, but keeps a pulse that is the same', () => {
    const entries = openEntries();
    store(entries, 'run_1', 1);
    const before = entries.get('src_1')?.value;
    store(entries, 'run_1', 2);
    const after = entries.get('src_1')?.value;
    assert.notEqual(after, before);
    assert.equal(after?.pulse, before?.pulse);
  });

  it('is bounded by the bytes of its text', () => {
    const entries = openEntries();
    const long = { aiSummaryLong: 'x'.repeat(60_000) };
    for (let source = 0; source < 1_000; source += 1)
      entries.store(`src_${source}`, answerOf(pulseOf(`src_${source}`, 'run_1', long), 1));
    assert.equal(entries.get('src_0'), undefined);
    assert.ok(entries.get('src_999'));
  });
});
