import assert from 'node:assert/strict';
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
});
