import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { createVirtualClock } from '../testing/virtual-clock.ts';
import { createGrantFile } from './grant-file.ts';

describe('createGrantFile()', () => {
  let folder: string;
  let path: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'grants-'));
    path = join(folder, 'state', 'calls.log');
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  it('knows a first start', () => {
    assert.deepEqual(createGrantFile(path, { clock: createVirtualClock() }).recall(), { kind: 'first-start' });
  });

  it('has a call on disk before it leaves', () => {
    const file = createGrantFile(path, { clock: createVirtualClock() });
    file.recall();
    assert.equal(file.record().isKept, true);
    assert.match(readFileSync(path, 'utf8'), /^\d+ \d+ \S+\n$/);
  });

  it('lets no other user of the machine read it', () => {
    const file = createGrantFile(path, { clock: createVirtualClock() });
    file.recall();
    file.record();
    assert.equal(statSync(path).mode & 0o777, 0o600);
  });

  it('tells the next process how old each call is', async () => {
    const clock = createVirtualClock();
    const file = createGrantFile(path, { clock });
    file.recall();
    file.record();
    await clock.advance(10_000);
    file.record();
    await clock.advance(5_000);
    assert.deepEqual(createGrantFile(path, { clock }).recall(), { kind: 'calls', agesMs: [15_000, 5_000] });
  });

  it('never takes a call for older than either clock says', async () => {
    const clock = createVirtualClock();
    const file = createGrantFile(path, { clock });
    file.recall();
    file.record();
    await clock.advance(5_000);
    clock.shiftWall(3_600_000);
    assert.deepEqual(file.recall(), { kind: 'calls', agesMs: [5_000] });
    clock.shiftWall(-7_200_000);
    assert.deepEqual(createGrantFile(path, { clock }).recall(), { kind: 'calls', agesMs: [0] });
  });

  it('takes the calls of another boot for as young as the wall clock says', () => {
    const clock = createVirtualClock(500_000_000);
    const file = createGrantFile(path, { clock });
    file.recall();
    file.record();
    const rebooted = createVirtualClock(10_000, clock.wallNow() + 20_000);
    assert.deepEqual(createGrantFile(path, { clock: rebooted }).recall(), { kind: 'calls', agesMs: [0] });
  });

  it('counts a line it cannot read as a call made now', () => {
    const clock = createVirtualClock();
    const file = createGrantFile(path, { clock });
    file.recall();
    file.record();
    appendFileSync(path, '12 \n\u0000\u0000garbage\n');
    assert.deepEqual(file.recall(), { kind: 'calls', agesMs: [0, 0, 0] });
  });

  it('does not grow for ever', async () => {
    const clock = createVirtualClock();
    const file = createGrantFile(path, { clock });
    file.recall();
    for (let call = 0; call < 5_000; call += 1) {
      file.record();
      await clock.advance(60_000);
    }
    assert.ok(statSync(path).size < 140_000);
    assert.equal(file.record().callsOfOthers, 0);
  });

  describe('beside another process', () => {
    it('tells what the other has written since it last looked, and each call once', () => {
      const clock = createVirtualClock();
      const [one, other] = [createGrantFile(path, { clock }), createGrantFile(path, { clock })];
      one.recall();
      other.recall();
      assert.equal(one.record().callsOfOthers, 0);
      one.record();
      assert.equal(other.record().callsOfOthers, 2);
      assert.equal(other.record().callsOfOthers, 0);
      assert.equal(one.record().callsOfOthers, 2);
    });

    it('does not count them twice when the file is written anew', async () => {
      const clock = createVirtualClock();
      const [one, other] = [createGrantFile(path, { clock }), createGrantFile(path, { clock })];
      one.recall();
      other.recall();
      let heard = 0;
      for (let call = 0; call < 5_000; call += 1) {
        one.record();
        await clock.advance(60_000);
        if (call % 100 === 99) heard += other.record().callsOfOthers;
      }
      assert.ok(heard <= 5_000 && heard > 4_000, `${heard}`);
    });
  });

  describe('where it cannot be written', () => {
    it('comes back with that, though the file system lets nothing be made at all', () => {
      const file = createGrantFile('/proc/no-such-folder/calls.log', { clock: createVirtualClock() });
      assert.deepEqual(file.recall(), { kind: 'unreadable' });
    });

    it('says so', () => {
      writeFileSync(join(folder, 'state'), 'a file where the folder should be');
      const warnings: string[] = [];
      const file = createGrantFile(path, { clock: createVirtualClock(), warn: (message) => warnings.push(message) });
      assert.deepEqual(file.recall(), { kind: 'unreadable' });
      assert.equal(file.record().isKept, false);
      assert.equal(warnings.length, 2);
    });
  });
});
