import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { usedFolder } from './data-folder.ts';

describe('The data folder of npm start', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'pulse-data-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('can’t be used while its owner is still running', () => {
    writeFileSync(join(folder, 'start.pid'), String(process.pid));
    const line = usedFolder(folder) ?? '';
    assert.ok(line.includes(`is already running with the data folder ${folder} (process ${process.pid})`), line);
    assert.ok(line.includes('set PULSE_DATA_DIR to another folder'), line);
  });

  it('can be used once its owner has exited', () => {
    const { pid } = spawnSync(process.execPath, ['--eval', '']);
    writeFileSync(join(folder, 'start.pid'), String(pid));
    assert.equal(usedFolder(folder), undefined);
  });

  it('stays claimed until its owner exits', () => {
    const program = `
      import { claimFolder, usedFolder } from ${JSON.stringify(join(import.meta.dirname, 'data-folder.ts'))};
      claimFolder(process.argv[1]);
      console.log(usedFolder(process.argv[1]));`;
    const args = ['--input-type=module', '--eval', program, folder];
    const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    assert.match(stdout, /^Can’t start: Pulse Card is already running/);
    assert.deepEqual(readdirSync(folder), []);
  });
});
