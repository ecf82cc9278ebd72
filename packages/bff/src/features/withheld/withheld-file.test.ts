import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { createVirtualClock } from '../../testing/virtual-clock.ts';
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
  it('rejects a file that can’t be read at startup, so that no withheld text is shown', async () => {
    using folder = temporaryFolder();
    const options = { clock: createVirtualClock(), reloadMs: 5_000, warn: () => true };
    await assert.rejects(
      openWithheldFile(folder.path, options),
      /^ConfigError: .*PULSE_WITHHELD_FILE: the file cannot be read/s,
    );
    assert.equal(options.clock.pending(), 0);
  });

  it('reads the file again when it changes, and keeps its ids while it can’t be read', async () => {
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
    rmSync(path);
    mkdirSync(path);
    await file.read();
    assert.deepEqual([[...file.runs], file.fault], [['run_2'], 'unreadable']);
    assert.equal(warnings.length, 1);
    file.close();
    assert.equal(clock.pending(), 0);
  });

  it('keeps the last ids while the file is missing, and says so until it is back', async () => {
    using folder = temporaryFolder();
    const path = folder.file('withheld', 'run_1\n');
    const file = await openWithheldFile(path, { clock: createVirtualClock(), reloadMs: 5_000, warn: () => true });
    rmSync(path);
    await file.read();
    assert.deepEqual([[...file.runs], file.fault], [['run_1'], 'missing']);
    folder.file('withheld', '');
    await file.read();
    assert.deepEqual([[...file.runs], file.fault], [[], undefined]);
    file.close();
  });

  it('withholds nothing if the file doesn’t exist yet', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'new');
    const file = await openWithheldFile(path, { clock: createVirtualClock(), reloadMs: 5_000, warn: () => true });
    assert.deepEqual([[...file.runs], file.fault], [[], undefined]);
    file.close();
  });
});
