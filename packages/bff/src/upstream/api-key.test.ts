import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { format, inspect } from 'node:util';
import { ApiKey, ApiKeyStatus } from './api-key.ts';

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

describe('ApiKeyStatus', () => {
  it('knows nothing of a key that was never tried', () => {
    assert.deepEqual(new ApiKeyStatus().status(0), { state: 'untried' });
  });

  it('bars everything for 30 s after a 401', () => {
    const key = new ApiKeyStatus();
    key.recordRefusal('pulse', 401, 1_000);
    assert.deepEqual([key.retryInMsFor('pulse', 1_000), key.retryInMsFor('sources', 16_000)], [30_000, 15_000]);
    assert.equal(key.retryInMsFor('pulse', 61_000), 0);
  });

  it('bars one kind of question after a 403', () => {
    const key = new ApiKeyStatus();
    key.recordAccepted('sources');
    key.recordRefusal('pulse', 403, 0);
    assert.deepEqual([key.refusedForMs('pulse', 0), key.refusedForMs('sources', 0)], [0, undefined]);
    assert.deepEqual(key.status(5_000), { state: 'refused', refusedForMs: 5_000, missingScope: 'pulses:read' });
  });

  it('lets one call try it, and bars the rest for another 30 s', () => {
    const key = new ApiKeyStatus();
    key.recordRefusal('pulse', 401, 0);
    key.recordAttempt('sources', 60_000);
    assert.equal(key.retryInMsFor('pulse', 60_000), 30_000);
  });

  it('counts the refusal from its first, however often it is repeated', () => {
    const key = new ApiKeyStatus();
    key.recordRefusal('pulse', 401, 0);
    key.recordRefusal('pulse', 401, 60_000);
    assert.equal(key.refusedForMs('pulse', 70_000), 70_000);
  });

  it('is well again after one answer of any kind to a 401, and of the same kind to a 403', () => {
    const unknown = new ApiKeyStatus();
    unknown.recordRefusal('pulse', 401, 0);
    unknown.recordAccepted('sources');
    assert.deepEqual(unknown.status(1), { state: 'accepted' });
    const narrow = new ApiKeyStatus();
    narrow.recordRefusal('pulse', 403, 0);
    narrow.recordAccepted('sources');
    assert.equal(narrow.refusedForMs('pulse', 0), 0);
    narrow.recordAccepted('pulse');
    assert.deepEqual(narrow.status(1), { state: 'accepted' });
  });

  it('may be tried at once when the key is another', () => {
    const key = new ApiKeyStatus();
    key.recordRefusal('pulse', 401, 0);
    key.reset();
    assert.equal(key.retryInMsFor('pulse', 1), 0);
  });

  it('goes on counting from a refusal before the restart', () => {
    const key = new ApiKeyStatus();
    key.restoreRefusal(-500_000);
    assert.equal(key.refusedForMs('pulse', 0), undefined);
    key.recordRefusal('pulse', 401, 0);
    assert.equal(key.refusedForMs('pulse', 0), 500_000);
  });
});
