import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { imageSecrets } from './image-secrets.ts';

describe('imageSecrets()', () => {
  it('returns the secret of the key in use, followed by the secret of the previous key', () => {
    let key = 'old';
    let changed = (): void => {};
    const secrets = imageSecrets({
      keyName: () => key,
      deriveSecret: (purpose) => Buffer.from(`${purpose} ${key}`),
      onKeyChange: (listener) => (changed = listener),
    });
    const textsFor = (...keys: readonly string[]) => keys.map((each) => `pulse-card addresses of charts 1 ${each}`);
    const texts = () => secrets().map((secret) => secret.export().toString());
    assert.deepEqual(texts(), textsFor('old'));
    key = 'new';
    changed();
    assert.deepEqual(texts(), textsFor('new', 'old'));
    key = 'old';
    assert.deepEqual(texts(), textsFor('old', 'new'));
    key = 'third';
    changed();
    key = 'fourth';
    changed();
    assert.deepEqual(texts(), textsFor('fourth', 'third'));
  });
});
