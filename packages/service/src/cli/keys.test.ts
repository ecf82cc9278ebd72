import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readDays, readScopes } from './keys.ts';
import { UsageError } from './usage.ts';

describe('readScopes()', () => {
  it('reads one or both scopes, without duplicates', () => {
    assert.deepEqual(readScopes('pulses:read'), ['pulses:read']);
    assert.deepEqual(readScopes('sources:read, pulses:read,sources:read'), ['sources:read', 'pulses:read']);
  });

  it('rejects unknown scopes and an empty list', () => {
    for (const raw of ['', 'admin', 'sources:read,', 'sources:read;pulses:read', 'SOURCES:READ', 'sources:*']) {
      assert.throws(() => readScopes(raw), UsageError, raw);
    }
  });
});

describe('readDays()', () => {
  it('accepts days and fractions of a day', () => {
    assert.deepEqual(['90', '0.5', '3650'].map(readDays), [90, 0.5, 3_650]);
  });

  it('rejects values that aren’t a number of days', () => {
    for (const raw of ['', '0', '0.0', '-1', '3651', 'soon', 'NaN', 'Infinity', '1e3', '0x10', ' 1', '1d']) {
      assert.throws(() => readDays(raw), UsageError, raw);
    }
  });
});
