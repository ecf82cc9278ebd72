import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type SecretSource, KeyNamespace } from './key-namespace.ts';

function secretOf(key: string): SecretSource {
  return { derive: (purpose) => createHmac('sha256', key).update(purpose).digest() };
}

const part = fc.oneof(fc.string(), fc.constantFrom('a', 'b', 'a:b', ':', '}:{', 'answer', '["a"]', 'a","b'));

describe('KeyNamespace (T-31)', () => {
  it('T-31: has one name for one key on one service, and another for every other', () => {
    const facts = fc.tuple(part, part);
    fc.assert(
      fc.property(facts, facts, (one, other) => {
        const [first, second] = [one, other].map(([key, url]) => new KeyNamespace(secretOf(key), url).key('state'));
        assert.equal(first === second, one[0] === other[0] && one[1] === other[1]);
      }),
      { numRuns: 2_000 },
    );
  });

  it('T-31: keeps what different instances of the key say of different subjects apart', () => {
    const namespace = new KeyNamespace(secretOf('k'), 'https://pulses.test');
    const id = fc.stringMatching(/^[A-Za-z0-9_~-][A-Za-z0-9._~-]{0,20}$/);
    fc.assert(
      fc.property(id, id, (one, other) => {
        assert.equal(namespace.key('answer', one) === namespace.key('answer', other), one === other);
        assert.notEqual(namespace.key('answer', one), namespace.key('backoff', other));
      }),
    );
  });

  it('keeps all its names in one slot of a cluster', () => {
    const namespace = new KeyNamespace(secretOf('k'), 'https://pulses.test');
    const tags = ['state', 'calls', 'news'].map((name) => /\{([^{}]+)\}/.exec(namespace.key(name))?.[1]);
    assert.equal(new Set(tags).size, 1);
  });

  it('tells nothing of the key or the service in a name', () => {
    const name = new KeyNamespace(secretOf('CANARYk3y'), 'https://pulses.test').key('answer', 'src_1');
    assert.doesNotMatch(name, /CANARY|pulses\.test/);
  });

  it('T-30: signatures what no other can signature, part by part', () => {
    const [namespace, other] = [
      new KeyNamespace(secretOf('k'), 'https://a.test'),
      new KeyNamespace(secretOf('l'), 'https://a.test'),
    ];
    fc.assert(
      fc.property(fc.array(part), fc.array(part), (parts, others) => {
        const signature = namespace.signature(parts);
        assert.ok(namespace.verify(signature, parts));
        assert.ok(!other.verify(signature, parts));
        assert.equal(namespace.verify(signature, others), JSON.stringify(parts) === JSON.stringify(others));
      }),
    );
  });

  it('T-30, T-31: signatures parts, not what they run together to', () => {
    const namespace = new KeyNamespace(secretOf('k'), 'https://a.test');
    assert.equal(
      new Set([['a', 'bc'], ['ab', 'c'], ['abc'], ['abc', '']].map((parts) => namespace.signature(parts))).size,
      4,
    );
  });

  it('T-30: encrypts what no other can read, each time to another text', () => {
    const [namespace, other] = [
      new KeyNamespace(secretOf('k'), 'https://a.test'),
      new KeyNamespace(secretOf('l'), 'https://a.test'),
    ];
    for (const text of ['', 'account', 'Ünïcödé']) {
      const encrypted = namespace.encrypt(text);
      assert.equal(namespace.decrypt(encrypted), text);
      assert.equal(other.decrypt(encrypted), undefined);
      assert.notEqual(namespace.encrypt(text), encrypted);
    }
  });

  it('T-30: reads nothing from a text that is not encrypted, or changed', () => {
    const namespace = new KeyNamespace(secretOf('k'), 'https://a.test');
    const encrypted = namespace.encrypt('account');
    // The nonce is random: in one of 64 runs it begins with an A.
    const changed = `${encrypted.startsWith('A') ? 'B' : 'A'}${encrypted.slice(1)}`;
    for (const text of ['', 'a', encrypted.slice(0, 30), changed, `${encrypted}A`, 'é'.repeat(60)])
      assert.equal(namespace.decrypt(text), undefined, text);
  });

  it('T-30: takes a signature of any length for none', () => {
    const namespace = new KeyNamespace(secretOf('k'), 'https://a.test');
    for (const signature of [
      '',
      'a',
      namespace.signature(['b']).slice(1),
      `${namespace.signature(['a'])}=`,
      'é'.repeat(22),
    ])
      assert.equal(namespace.verify(signature, ['a']), false);
  });
});
