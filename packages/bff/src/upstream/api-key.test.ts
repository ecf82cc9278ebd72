import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { format, inspect } from 'node:util';
import { ApiKey } from './api-key.ts';

const VALUE = 'CANARYk3y_0123456789';

describe('ApiKey (T-01, T-10)', () => {
  it('gives its value away in a header alone', () => {
    const key = ApiKey.from(VALUE);
    assert.ok(key);
    assert.deepEqual(key.header(), { 'X-API-Key': VALUE });
    const displayed = [
      String(key),
      JSON.stringify({ key }),
      inspect({ key }, { depth: 9, showHidden: true }),
      format('%s %o %j', key, key, key),
      Object.entries(key).join(),
      inspect(new Error('x', { cause: key })),
    ];
    for (const text of displayed) assert.doesNotMatch(text, /CANARY/);
  });

  it('takes one line break after the key', () => {
    for (const text of [`${VALUE}\n`, `${VALUE}\r\n`])
      assert.ok(ApiKey.from(text)?.equals(ApiKey.from(VALUE) as ApiKey));
  });

  it('takes nothing that is not one line of visible ASCII', () => {
    const bad = [
      '',
      'short',
      `${VALUE}\n\n`,
      `${VALUE}\r\nX: y`,
      `${VALUE} é`,
      'with a blank',
      'x'.repeat(257),
      `\u0000${VALUE}`,
    ];
    for (const text of bad) assert.equal(ApiKey.from(text), undefined);
  });
});

describe('ApiKey.derive()', () => {
  const derived = (value: string, purpose: string) => ApiKey.from(value)?.derive(purpose).toString('hex');

  it('is the same for one key and purpose, and another for any other', () => {
    assert.equal(derived(VALUE, 'a'), derived(VALUE, 'a'));
    assert.notEqual(derived(VALUE, 'a'), derived(VALUE, 'b'));
    assert.notEqual(derived(VALUE, 'a'), derived(`${VALUE}x`, 'a'));
  });
});
