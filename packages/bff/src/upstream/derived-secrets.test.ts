import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiKey } from './api-key.ts';
import { derivedSecrets } from './derived-secrets.ts';

const keyOf = (value: string): ApiKey => ApiKey.from(value) as ApiKey;

describe('derivedSecrets()', () => {
  it('has the secret of the key in use, then that of the one before', () => {
    let current = keyOf('first-key-of-some');
    let heard = (): void => {};
    const ring = {
      current: () => current,
      accepted() {},
      refused: async () => false,
      onChange: (tell: () => void) => {
        heard = tell;
        return () => {};
      },
      close() {},
    };
    const secrets = derivedSecrets(ring, 'test');
    const change = (value: string): void => {
      current = keyOf(value);
      heard();
    };
    const shown = () => secrets().map((secret) => secret.export().toString('hex'));
    const of = (value: string) => keyOf(value).derive('test').toString('hex');
    assert.deepEqual(shown(), [of('first-key-of-some')]);
    change('second-key-of-some');
    change('third-key-of-some');
    assert.deepEqual(shown(), [of('third-key-of-some'), of('second-key-of-some')]);
  });
});
