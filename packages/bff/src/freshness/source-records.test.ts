import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SourceRecords } from './source-records.ts';

/** Records of sources that were seen one after another, a second apart. */
function seen(most: number, sources: number): SourceRecords {
  const records = new SourceRecords(most);
  for (let source = 0; source < sources; source += 1)
    records.of(`src_${source}`, source * 1_000).sawView(source * 1_000);
  return records;
}

describe('SourceRecords', () => {
  it('begins a record once and finds it again', () => {
    const records = new SourceRecords(10);
    assert.equal(records.find('src_1'), undefined);
    assert.equal(records.of('src_1', 0), records.of('src_1', 99));
  });

  it('never keeps more than it may', () => {
    for (const most of [1, 7, 100]) assert.ok([...seen(most, 1_000)].length <= most);
  });

  it('lets those go first that nobody has looked at for longest', () => {
    const ids = [...seen(100, 101)].map(([id]) => id);
    assert.equal(ids.length, 91);
    assert.equal(ids[0], 'src_10');
  });

  it('leaves a source to its rest after an answer of another, unless it was an outage', () => {
    const records = seen(10, 3);
    records.failed('src_0', 10_000);
    records.refreshed('src_1', 10_500, false);
    assert.ok(records.find('src_0')?.isResting(11_000));
    for (const id of ['src_0', 'src_1', 'src_2']) records.failed(id, 12_000);
    records.refreshed('src_1', 12_500, false);
    assert.ok(!records.find('src_0')?.isResting(12_500));
  });
});
