import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pulseOf, rowOf } from '../testing/fake-upstream.ts';
import { EntryStore } from './cache-store.ts';

const INFO = { requestedAt: 0, requestedAtMs: 1, fencingToken: 1 };

/** Stores an answer for a known source. */
function store(snapshots: EntryStore, jobRunId: string, fencingToken = 1): boolean {
  return snapshots.store('src_1', pulseOf('src_1', jobRunId), { ...INFO, fencingToken });
}

describe('EntryStore', () => {
  it('says whether the pulse is another than before', () => {
    const snapshots = new EntryStore();
    const changes = ['run_1', 'run_1', 'run_2'].map((run, fencingToken) => store(snapshots, run, fencingToken));
    assert.deepEqual(changes, [true, false, true]);
  });

  it('makes a new card with each answer, for its age is another, but keeps a pulse that is the same', () => {
    const snapshots = new EntryStore();
    store(snapshots, 'run_1', 1);
    const before = snapshots.get('src_1')?.value;
    store(snapshots, 'run_1', 2);
    const after = snapshots.get('src_1')?.value;
    assert.notEqual(after, before);
    assert.equal(after?.pulse, before?.pulse);
  });

  it('keeps no answer over one that was asked for later', () => {
    const snapshots = new EntryStore();
    store(snapshots, 'run_2', 2);
    assert.equal(store(snapshots, 'run_1', 1), false);
    assert.equal(snapshots.get('src_1')?.value.pulse?.jobRunId, 'run_2');
  });

  it('shows the row of the list, also for cards that were there before it', () => {
    const snapshots = new EntryStore();
    store(snapshots, 'run_1');
    snapshots.updateRows([rowOf('src_1')]);
    assert.deepEqual(snapshots.get('src_1')?.value.source, rowOf('src_1'));
    snapshots.updateRows([]);
    assert.equal(snapshots.get('src_1')?.value.source, null);
  });

  it('is bounded by the bytes of what it keeps', () => {
    const snapshots = new EntryStore();
    const long = { aiSummaryLong: 'x'.repeat(60_000) };
    for (let source = 0; source < 1_000; source += 1)
      snapshots.store(`src_${source}`, pulseOf(`src_${source}`, 'run_1', long), INFO);
    assert.equal(snapshots.get('src_0'), undefined);
    assert.ok(snapshots.get('src_999'));
  });
});
