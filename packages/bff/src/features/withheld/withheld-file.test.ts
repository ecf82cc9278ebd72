import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { createVirtualClock, settled } from '../../testing/virtual-clock.ts';
import { openWithheldFile, runsIn, setWithheld } from './withheld-file.ts';

describe('runsIn()', () => {
  it('reads one id per line, and skips blank lines and comments', () =>
    assert.deepEqual([...runsIn('run_1\r\n\n # why\n  run_2 \n').runs], ['run_1', 'run_2']));

  it('names the lines that aren’t ids', () => assert.deepEqual(runsIn('run_1\nrun 2\n<b>\n').badLines, [2, 3]));
});

describe('setWithheld()', () => {
  it('adds and removes a run, never adds it twice, and keeps other lines', async () => {
    using folder = temporaryFolder();
    const path = folder.file('withheld', '# checked by Ann\nrun_1\n');
    assert.deepEqual([await setWithheld(path, 'run_2', true), await setWithheld(path, 'run_2', true)], [true, false]);
    assert.equal(readFileSync(path, 'utf8'), '# checked by Ann\nrun_1\nrun_2\n');
    assert.deepEqual([await setWithheld(path, 'run_1', false), await setWithheld(path, 'run_9', false)], [true, false]);
    assert.equal(readFileSync(path, 'utf8'), '# checked by Ann\nrun_2\n');
  });

  it('creates the file', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'new');
    await setWithheld(path, 'run_1', true);
    assert.equal(readFileSync(path, 'utf8'), 'run_1\n');
  });
});

describe('openWithheldFile()', () => {
  it('reads the file again when it changes, and keeps the last ids while the file can’t be read', async () => {
    using folder = temporaryFolder();
    const path = folder.file('withheld', 'run_1\n');
    const clock = createVirtualClock();
    const warnings: string[] = [];
    const file = await openWithheldFile(path, { clock, reloadMs: 5_000, warn: (line) => warnings.push(line) > 0 });
    const before = file.revision;
    folder.file('withheld', 'run_2\nrun 3\n');
    await file.read();
    assert.deepEqual([[...file.runs], file.revision === before], [['run_2'], false]);
    await file.read();
    assert.equal(file.revision, before + 1);
    assert.deepEqual(warnings, ['PULSE_WITHHELD_FILE: line 2 is not a run id, and is ignored']);
    const folderInstead = await openWithheldFile(folder.path, {
      clock,
      reloadMs: 5_000,
      warn: (line) => warnings.push(line) > 0,
    });
    await settled();
    assert.match(warnings[1] ?? '', /^PULSE_WITHHELD_FILE: the file cannot be read/);
    file.close();
    folderInstead.close();
    assert.equal(clock.pending(), 0);
  });
});
