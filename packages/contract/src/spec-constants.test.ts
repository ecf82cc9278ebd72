import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { KEY_HEADER } from './api-key.ts';
import { RATE_LIMIT_HEADERS } from './rate-limit.ts';
import { pulsePath, ROUTES } from './routes.ts';

describe('The specification’s constants', () => {
  it('include the header names for the key and the rate window', () => {
    assert.equal(KEY_HEADER, 'X-API-Key');
    assert.deepEqual(Object.values(RATE_LIMIT_HEADERS), [
      'X-RateLimit-Limit',
      'X-RateLimit-Remaining',
      'X-RateLimit-Reset',
    ]);
  });

  it('include three routes under /v1', () => {
    assert.deepEqual(Object.values(ROUTES), ['/v1/sources', '/v1/sources/:sourceId/pulse', '/v1/openapi.yaml']);
    assert.equal(pulsePath('src_1'), '/v1/sources/src_1/pulse');
  });
});
