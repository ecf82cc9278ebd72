import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { providerName } from './provider-name.ts';

describe('providerName()', () => {
  for (const [code, name] of [
    ['GOOGLE', 'Google'],
    ['POSTGRES', 'Postgres'],
    ['BIGQUERY', 'BigQuery'],
    ['QUICKBOOKS', 'QuickBooks'],
    ['GOOGLE_SHEETS', 'Google Sheets'],
    ['', ''],
    ['_', ''],
  ] as const) {
    it(`is ${name} for ${code}`, () => assert.equal(providerName(code).trim(), name));
  }
});
