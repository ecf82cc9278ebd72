import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { createVirtualClock } from '../testing/virtual-clock.ts';
import { FileCallJournal } from './call-journal.ts';

describe('FileCallJournal', () => {
  let folder: string;
  let path: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'grants-'));
    path = join(folder, 'calls.log');
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  it('remembers nothing at a first start', () => {
    assert.deepEqual(new FileCallJournal(path, { clock: createVirtualClock() }).load(), []);
  });

  it('has a call on disk before it leaves', () => {
    const file = new FileCallJournal(path, { clock: createVirtualClock() });
    file.load();
    file.append();
    assert.match(readFileSync(path, 'utf8'), /^\n\S+ \d+ \d+ \S+\n$/);
  });

  it('lets no other user of the machine read it', () => {
    const file = new FileCallJournal(path, { clock: createVirtualClock() });
    file.load();
    file.append();
    assert.equal(statSync(path).mode & 0o777, 0o600);
  });

  it('tells the next process how old each call is', async () => {
    const clock = createVirtualClock();
    const file = new FileCallJournal(path, { clock });
    file.load();
    file.append();
    await clock.advance(10_000);
    file.append();
    await clock.advance(5_000);
    assert.deepEqual(new FileCallJournal(path, { clock }).load(), [15_000, 5_000]);
  });

  describe('when the wall clock is set', () => {
    it('tells ages by the monotonic clock', async () => {
      const clock = createVirtualClock();
      const file = new FileCallJournal(path, { clock });
      file.load();
      file.append();
      await clock.advance(5_000);
      for (const byMs of [3_600_000, -7_200_000]) {
        clock.shiftWall(byMs);
        assert.deepEqual(new FileCallJournal(path, { clock }).load(), [5_000]);
      }
    });
  });

  describe('after a reboot, or on another machine', () => {
    const BEFORE = { bootId: 'boot-1' };
    const AFTER = { bootId: 'boot-2' };

    /** A call of a machine that had been up for long, and the clock of one that was booted `agoMs` after it. */
    function reboot(agoMs: number, upMs = 10_000) {
      const clock = createVirtualClock(500_000_000);
      const file = new FileCallJournal(path, { clock, ...BEFORE });
      file.load();
      file.append();
      return createVirtualClock(upMs, clock.wallNow() + agoMs);
    }

    it('tells ages by the wall clock, whichever machine has been up for longer', () => {
      for (const upMs of [10_000, 900_000_000]) {
        const clock = reboot(20_000, upMs);
        assert.deepEqual(new FileCallJournal(path, { clock, ...AFTER }).load(), [20_000]);
        rmSync(path);
      }
    });

    it('ignores calls that lie in the future by the wall clock, and says so', () => {
      const warnings: string[] = [];
      const clock = reboot(-3_600_000);
      const file = new FileCallJournal(path, { clock, ...AFTER, warn: (message) => warnings.push(message) });
      assert.deepEqual(file.load(), []);
      assert.match(warnings.join(), /no call of the past, and are ignored: 1$/);
    });

    it('tells ages by the wall clock where boots have no names', () => {
      const clock = createVirtualClock(500_000_000);
      const file = new FileCallJournal(path, { clock, bootId: null });
      file.load();
      file.append();
      const rebooted = createVirtualClock(10_000, clock.wallNow() + 20_000);
      assert.deepEqual(new FileCallJournal(path, { clock: rebooted, bootId: null }).load(), [20_000]);
    });
  });

  describe('when the file holds something else', () => {
    const garbage: Record<string, string> = {
      'a line cut short': '12 ',
      'bytes of no text': '\u0000\u0000garbage\n',
      'a call of the next century': 'boot 1 4000000000000 1.x\n',
      'a call of an earlier version': '1000000 1778230800000 1.x\n',
      'numbers beyond all numbers': `boot ${'9'.repeat(300)} 1 1.x\n`,
    };
    for (const [what, text] of Object.entries(garbage))
      it(`ignores ${what}, and counts the next call`, () => {
        const clock = createVirtualClock();
        const file = new FileCallJournal(path, { clock });
        file.load();
        appendFileSync(path, text);
        file.append();
        assert.deepEqual(new FileCallJournal(path, { clock }).load(), [0]);
      });

    it('reads no more than its end', () => {
      const clock = createVirtualClock();
      const file = new FileCallJournal(path, { clock });
      file.load();
      writeFileSync(path, 'x\n'.repeat(3_000_000));
      file.append();
      assert.deepEqual(new FileCallJournal(path, { clock }).load(), [0]);
      assert.ok(statSync(path).size < 140_000);
    });
  });

  it('does not grow for ever', async () => {
    const clock = createVirtualClock();
    const file = new FileCallJournal(path, { clock });
    file.load();
    for (let call = 0; call < 5_000; call += 1) {
      file.append();
      await clock.advance(60_000);
    }
    assert.ok(statSync(path).size < 140_000);
    assert.equal(file.append(), 0);
  });

  describe('beside another process', () => {
    it('tells what the other has written since it last looked, and each call once', () => {
      const clock = createVirtualClock();
      const [one, other] = [new FileCallJournal(path, { clock }), new FileCallJournal(path, { clock })];
      one.load();
      other.load();
      assert.equal(one.append(), 0);
      one.append();
      assert.equal(other.append(), 2);
      assert.equal(other.append(), 0);
      assert.equal(one.append(), 2);
    });

    it('does not count them twice when the file is written anew', async () => {
      const clock = createVirtualClock();
      const [one, other] = [new FileCallJournal(path, { clock }), new FileCallJournal(path, { clock })];
      one.load();
      other.load();
      let received = 0;
      for (let call = 0; call < 5_000; call += 1) {
        one.append();
        await clock.advance(60_000);
        if (call % 100 === 99) received += other.append();
      }
      assert.ok(received <= 5_000 && received > 4_000, `${received}`);
    });
  });

  describe('where it cannot be written', () => {
    it('comes back with nothing, though the file system lets nothing be made at all', () => {
      const file = new FileCallJournal('/proc/no-such-folder/calls.log', { clock: createVirtualClock() });
      assert.deepEqual(file.load(), []);
    });

    it('says so once for each reason', () => {
      writeFileSync(join(folder, 'file'), 'a file where the folder should be');
      const unusable = join(folder, 'file', 'calls.log');
      const warnings: string[] = [];
      const file = new FileCallJournal(unusable, {
        clock: createVirtualClock(),
        warn: (message) => warnings.push(message),
      });
      assert.deepEqual(file.load(), []);
      for (let call = 0; call < 5; call += 1) assert.equal(file.append(), 0);
      assert.deepEqual(warnings, [`Cannot write down calls in "${unusable}": ENOTDIR`]);
    });
  });
});
