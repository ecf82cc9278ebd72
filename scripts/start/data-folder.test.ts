import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { usedFolder } from './data-folder.ts';

const NO_PROC = process.platform !== 'linux' && 'only Linux reports when a process started';

describe('The data folder of npm start', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'pulse-data-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('can be used if no npm start has claimed it', () => {
    assert.equal(usedFolder(folder), undefined);
    assert.equal(usedFolder(join(folder, 'missing')), undefined);
  });

  it('can’t be used while the process that claimed it is running', () => {
    writeFileSync(join(folder, 'start.pid'), String(process.pid));
    const line = usedFolder(folder) ?? '';
    assert.ok(line.includes(`is already running with the data folder ${folder} (process ${process.pid})`), line);
    assert.ok(line.includes('set PULSE_DATA_DIR to another folder'), line);
  });

  it('can be used if the claiming process was killed', () => {
    const { pid } = spawnSync(process.execPath, ['--eval', '']);
    writeFileSync(join(folder, 'start.pid'), String(pid));
    assert.equal(usedFolder(folder), undefined);
  });

  it('can be used if the claiming process was killed, even if its id is in use again', { skip: NO_PROC }, () => {
    const program = `
      import { claimFolder } from ${JSON.stringify(join(import.meta.dirname, 'data-folder.ts'))};
      claimFolder(process.argv[1]);
      process.kill(process.pid, 'SIGKILL');`;
    spawnSync(process.execPath, ['--input-type=module', '--eval', program, folder]);
    const claim = readFileSync(join(folder, 'start.pid'), 'utf8');
    writeFileSync(join(folder, 'start.pid'), claim.replace(/^\d+/, String(process.pid)));
    assert.equal(usedFolder(folder), undefined);
  });

  it('is claimed until the process ends', () => {
    const program = `
      import { claimFolder, usedFolder } from ${JSON.stringify(join(import.meta.dirname, 'data-folder.ts'))};
      claimFolder(process.argv[1]);
      console.log(usedFolder(process.argv[1]));`;
    const args = ['--input-type=module', '--eval', program, folder];
    const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    assert.match(stdout, /^Cannot start: Pulse Card is already running/);
    assert.deepEqual(readdirSync(folder), []);
  });
});
