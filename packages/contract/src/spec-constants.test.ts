import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LIST_SIZE } from './envelope.ts';
import { KEY_EXPIRES_IN_DAYS, KEY_HEADER, KEY_SCOPES, keyScopeSchema } from './key-scope.ts';
import { RATE_LIMIT, RATE_LIMIT_HEADERS, RATE_WINDOW_MS } from './rate-limit.ts';
import { pulsePath, ROUTES } from './routes.ts';

describe("The spec's numbers and names", () => {
  it('are 60 calls a minute, ten sources and ninety days', () => {
    assert.deepEqual([RATE_LIMIT, RATE_WINDOW_MS, LIST_SIZE, KEY_EXPIRES_IN_DAYS], [60, 60_000, 10, 90]);
  });

  it('are the headers of key and window', () => {
    assert.equal(KEY_HEADER, 'X-API-Key');
    assert.deepEqual(Object.values(RATE_LIMIT_HEADERS), [
      'X-RateLimit-Limit',
      'X-RateLimit-Remaining',
      'X-RateLimit-Reset',
    ]);
  });

  it('are three routes under /v1', () => {
    assert.deepEqual(Object.values(ROUTES), ['/v1/sources', '/v1/sources/:sourceId/pulse', '/v1/openapi.yaml']);
    assert.equal(pulsePath('src_1'), '/v1/sources/src_1/pulse');
  });

  it('are one scope for each data operation', () => {
    for (const scope of KEY_SCOPES) assert.equal(keyScopeSchema.safeParse(scope).success, true);
    for (const scope of ['', '*', 'sources:write']) assert.equal(keyScopeSchema.safeParse(scope).success, false);
  });
});
