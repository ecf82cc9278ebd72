import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { createLog } from './log.ts';

describe('createLog()', () => {
  const lineOf = (err: unknown): Record<string, unknown> => {
    const lines: string[] = [];
    createLog('info', { write: (line) => void lines.push(line) }).error({ err }, 'Can’t answer');
    return JSON.parse(lines.join('')) as Record<string, unknown>;
  };

  it('logs an error’s kind, code, and message, but not its stack or other fields', () => {
    const client = { user: 'canary', host: 'db.acme.test' };
    const error = Object.assign(new TypeError('connection refused'), { code: 'ECONNREFUSED', client, cause: client });
    assert.deepEqual(lineOf(error)['err'], { type: 'TypeError', code: 'ECONNREFUSED', message: 'connection refused' });
  });

  it('logs a thrown value that isn’t an error', () => {
    assert.deepEqual(lineOf('no')['err'], { message: 'no' });
  });

  it('doesn’t end the process if the disk is full', { skip: !existsSync('/dev/full') }, () => {
    const program = `
      import { createLog } from ${JSON.stringify(join(import.meta.dirname, 'log.ts'))};
      for (const text of ['one', 'two']) createLog('info').info(text);
      process.exitCode = 7;`;
    const full = openSync('/dev/full', 'w');
    const args = ['--conditions=source', '--input-type=module', '--eval', program];
    const { status } = spawnSync(process.execPath, args, { stdio: ['ignore', full, 'ignore'] });
    closeSync(full);
    assert.equal(status, 7);
  });
});
