import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type SecretSource, Tenant } from './tenant.ts';

function secretOf(key: string): SecretSource {
  return { derive: (purpose) => createHmac('sha256', key).update(purpose).digest() };
}

const part = fc.oneof(fc.string(), fc.constantFrom('a', 'b', 'a:b', ':', '}:{', 'answer', '["a"]', 'a","b'));

describe('Tenant (T-31)', () => {
  it('T-31: has one name for one key on one service, and another for every other', () => {
    const facts = fc.tuple(part, part);
    fc.assert(
      fc.property(facts, facts, (one, other) => {
        const [first, second] = [one, other].map(([key, url]) => new Tenant(secretOf(key), url).key('state'));
        assert.equal(first === second, one[0] === other[0] && one[1] === other[1]);
      }),
      { numRuns: 2_000 },
    );
  });

  it('T-31: keeps what different instances of the key say of different subjects apart', () => {
    const tenant = new Tenant(secretOf('k'), 'https://pulses.test');
    const id = fc.stringMatching(/^[A-Za-z0-9_~-][A-Za-z0-9._~-]{0,20}$/);
    fc.assert(
      fc.property(id, id, (one, other) => {
        assert.equal(tenant.key('answer', one) === tenant.key('answer', other), one === other);
        assert.notEqual(tenant.key('answer', one), tenant.key('rest', other));
      }),
    );
  });

  it('keeps all its names in one slot of a cluster', () => {
    const tenant = new Tenant(secretOf('k'), 'https://pulses.test');
    const tags = ['state', 'calls', 'news'].map((name) => /\{([^{}]+)\}/.exec(tenant.key(name))?.[1]);
    assert.equal(new Set(tags).size, 1);
  });

  it('tells nothing of the key or the service in a name', () => {
    const name = new Tenant(secretOf('CANARYk3y'), 'https://pulses.test').key('answer', 'src_1');
    assert.doesNotMatch(name, /CANARY|pulses\.test/);
  });

  it('T-30: seals what no other can seal, part by part', () => {
    const [tenant, other] = [new Tenant(secretOf('k'), 'https://a.test'), new Tenant(secretOf('l'), 'https://a.test')];
    fc.assert(
      fc.property(fc.array(part), fc.array(part), (parts, others) => {
        const seal = tenant.seal(parts);
        assert.ok(tenant.isSealed(seal, parts));
        assert.ok(!other.isSealed(seal, parts));
        assert.equal(tenant.isSealed(seal, others), JSON.stringify(parts) === JSON.stringify(others));
      }),
    );
  });

  it('T-30, T-31: seals parts, not what they run together to', () => {
    const tenant = new Tenant(secretOf('k'), 'https://a.test');
    assert.equal(new Set([['a', 'bc'], ['ab', 'c'], ['abc'], ['abc', '']].map((parts) => tenant.seal(parts))).size, 4);
  });

  it('T-30: encrypts what no other can read, each time to another text', () => {
    const [tenant, other] = [new Tenant(secretOf('k'), 'https://a.test'), new Tenant(secretOf('l'), 'https://a.test')];
    for (const text of ['', 'account', 'Ünïcödé']) {
      const encrypted = tenant.encrypt(text);
      assert.equal(tenant.decrypt(encrypted), text);
      assert.equal(other.decrypt(encrypted), undefined);
      assert.notEqual(tenant.encrypt(text), encrypted);
    }
  });

  it('T-30: reads nothing from a text that is not encrypted, or changed', () => {
    const tenant = new Tenant(secretOf('k'), 'https://a.test');
    const encrypted = tenant.encrypt('account');
    for (const text of ['', 'a', encrypted.slice(0, 30), `A${encrypted.slice(1)}`, `${encrypted}A`, 'é'.repeat(60)])
      assert.equal(tenant.decrypt(text), undefined, text);
  });

  it('T-30: takes a seal of any length for none', () => {
    const tenant = new Tenant(secretOf('k'), 'https://a.test');
    for (const seal of ['', 'a', tenant.seal(['b']).slice(1), `${tenant.seal(['a'])}=`, 'é'.repeat(22)])
      assert.equal(tenant.isSealed(seal, ['a']), false);
  });
});
