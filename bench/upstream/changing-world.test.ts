import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pulseSchema, sourceSchema } from '@pulse-card/contract';
import { ChangingWorld } from './changing-world.ts';

const START = Date.parse('2026-05-08T09:00:00.000Z');
const worldOf = (seed: number) => new ChangingWorld(START, { sources: 4, changeEveryMs: [1_000, 1_000], seed });

describe('ChangingWorld', () => {
  it('holds pulses and sources as the spec has them', () => {
    const world = worldOf(1);
    for (const source of world.sources(START + 9_000)) sourceSchema.parse(source);
    for (const id of world.ids) pulseSchema.parse(world.pulseOf(id, START + 9_000));
  });

  it('begins with the first version of each source', () => {
    assert.deepEqual(
      worldOf(1).ids.map((id) => worldOf(1).versionAt(id, START)),
      [0, 0, 0, 0],
    );
  });

  it('changes as often as it was told', () => {
    const world = worldOf(2);
    const changes = world.ids.map((id) => world.versionAt(id, START + 1_000_000));
    for (const count of changes) assert.ok(count > 850 && count < 1_150, `${count} changes in 1000 s`);
  });

  it('is the same for the same seed, whatever was asked before', () => {
    const [asked, fresh] = [worldOf(3), worldOf(3)];
    for (let at = START; at < START + 50_000; at += 777) asked.versionAt('src_002', at);
    assert.equal(asked.versionAt('src_002', START + 50_000), fresh.versionAt('src_002', START + 50_000));
    assert.equal(asked.versionAt('src_002', START + 5_000), fresh.versionAt('src_002', START + 5_000));
  });

  it('lists the source that changed last first', () => {
    const world = worldOf(4);
    const changedAt = world.sources(START + 20_000).map(({ id }) => world.pulseOf(id, START + 20_000)!.completedAt!);
    assert.deepEqual(changedAt, changedAt.toSorted().toReversed());
  });

  it('knows nothing of a source that does not exist', () => {
    assert.equal(worldOf(1).pulseOf('src_999', START), undefined);
  });
});
