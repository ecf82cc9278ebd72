import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SourceStatsMap } from './source-stats-map.ts';

/** Records of sources that were seen one after another, a second apart. */
function seen(max: number, sources: number): SourceStatsMap {
  const statsMap = new SourceStatsMap(max);
  for (let source = 0; source < sources; source += 1)
    statsMap.of(`src_${source}`, source * 1_000).recordView(source * 1_000);
  return statsMap;
}

describe('SourceStatsMap', () => {
  it('begins a record once and finds it again', () => {
    const statsMap = new SourceStatsMap(10);
    assert.equal(statsMap.find('src_1'), undefined);
    assert.equal(statsMap.of('src_1', 0), statsMap.of('src_1', 99));
  });

  it('never keeps more than it may', () => {
    for (const max of [1, 7, 100]) assert.ok([...seen(max, 1_000)].length <= max);
  });

  it('lets those go first that nobody has looked at for longest', () => {
    const ids = [...seen(100, 101)].map(([id]) => id);
    assert.equal(ids.length, 91);
    assert.equal(ids[0], 'src_10');
  });

  it('leaves a source to its rest after an answer of another, unless it was an outage', () => {
    const statsMap = seen(10, 3);
    statsMap.recordFailure('src_0', 10_000);
    statsMap.recordRefresh('src_1', 10_500, false);
    assert.ok(statsMap.find('src_0')?.isBackingOff(11_000));
    for (const id of ['src_0', 'src_1', 'src_2']) statsMap.recordFailure(id, 12_000);
    statsMap.recordRefresh('src_1', 12_500, false);
    assert.ok(!statsMap.find('src_0')?.isBackingOff(12_500));
  });
});
