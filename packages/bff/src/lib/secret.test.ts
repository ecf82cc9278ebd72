import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import { ApiKey } from './api-key.ts';
import { Secret } from './secret.ts';

const TEXT = 'canary-secret-0123456789';

describe('Secret', () => {
  for (const secret of [new Secret(TEXT), ApiKey.from(TEXT)])
    it(`reveals ${secret?.constructor.name === 'ApiKey' ? 'a key' : 'its text'} only on request`, () => {
      assert.equal(secret?.reveal(), TEXT);
      const seen = [
        String(secret),
        JSON.stringify({ secret }),
        inspect({ secret }, { depth: null, showHidden: true }),
        Object.entries(secret ?? {}).join(),
      ];
      for (const text of seen) assert.doesNotMatch(text, /canary/);
    });
});
