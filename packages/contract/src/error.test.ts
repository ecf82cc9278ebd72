import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { codedErrorBodySchema, ERROR_STATUS, errorBodySchema, readErrorBodySchema, SPEC_ERRORS } from './error.ts';

describe('errorBodySchema', () => {
  it('accepts the error messages that the spec defines', () => {
    for (const error of Object.values(SPEC_ERRORS)) {
      assert.equal(errorBodySchema.safeParse({ success: false, error }).success, true, error);
    }
  });

  it('rejects error bodies with any other shape', () => {
    const bad = [
      {},
      { success: true, error: 'x' },
      { success: false },
      { success: false, error: '' },
      { error: 'x' },
      null,
    ];
    for (const body of [...bad, { success: false, error: 'x', stack: 'at …' }]) {
      assert.equal(errorBodySchema.safeParse(body).success, false, JSON.stringify(body));
    }
  });
});

describe('readErrorBodySchema', () => {
  it('reads an error from the service and ignores other fields', () => {
    for (const body of [{ error: 'x' }, { error: '' }, { error: 'x', code: 'not_found' }])
      assert.equal(readErrorBodySchema.safeParse({ success: false, ...body }).success, true);
  });

  it('rejects other programs’ error formats', () => {
    const foreign: unknown[] = [
      { error: 'Not Found', statusCode: 404, message: 'Route not found' },
      { success: true, error: 'x' },
      { success: 'false', error: 'x' },
      { success: false, error: { code: 'E1' } },
      { success: false, message: 'x' },
      [],
      null,
      'Not Found',
    ];
    for (const body of foreign) assert.equal(readErrorBodySchema.safeParse(body).success, false, JSON.stringify(body));
  });
});

describe('codedErrorBodySchema', () => {
  it('accepts only the listed codes', () => {
    for (const code of Object.keys(ERROR_STATUS)) {
      assert.equal(codedErrorBodySchema.safeParse({ success: false, error: 'x', code }).success, true, code);
    }
    for (const code of ['', 'oops', 'INTERNAL', undefined]) {
      assert.equal(codedErrorBodySchema.safeParse({ success: false, error: 'x', code }).success, false, String(code));
    }
  });
});

describe('ERROR_STATUS', () => {
  it('assigns a matching HTTP status to every code', () => {
    for (const [code, status] of Object.entries(ERROR_STATUS)) assert.ok(status >= 400 && status < 600, code);
  });

  it('never uses 401 or 403 for a problem between the operator and the service', () => {
    for (const [code, status] of Object.entries(ERROR_STATUS)) {
      if (code.startsWith('upstream_')) assert.ok(status >= 500, code);
    }
  });
});
