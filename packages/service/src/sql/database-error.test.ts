import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { databaseErrorReason } from './database-error.ts';

const failure = (code: string, message = 'raw words') => Object.assign(new Error(message), { code });

describe('databaseErrorReason()', () => {
  it('describes known errors in a few words', () => {
    const cases: [error: Error, words: string][] = [
      [failure('SQLITE_BUSY_SNAPSHOT'), 'another process keeps it locked'],
      [failure('SQLITE_FULL'), 'no space left'],
      [failure('28P01'), 'username or password rejected'],
      [failure('42501', 'permission denied for schema public'), 'permission denied'],
      [failure('57P03'), 'it is starting up or stopping'],
      [new AggregateError([failure('ECONNREFUSED')]), 'connection refused'],
      [new Error('timeout exceeded when trying to connect'), 'no response in time'],
      [new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string'), 'it asks for a password'],
      [new Error('corrupted migrations: 0009-more is missing'), 'its tables belong to another version'],
    ];
    for (const [error, words] of cases) assert.equal(databaseErrorReason(error), words);
  });

  it('repeats the first line of unknown errors', () => {
    assert.equal(
      databaseErrorReason(new Error('The server does not support SSL connections\nat x')),
      'The server does not support SSL connections',
    );
  });
});
