import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { OriginPolicy } from './origins.ts';

describe('OriginPolicy', () => {
  describe('when origins are listed', () => {
    const rule = new OriginPolicy(['https://a.test', 'https://b.test:8443'], 'https://pulse.test');
    it('allows the listed origins and its own origin', () => {
      for (const origin of ['https://a.test', 'https://b.test:8443', 'https://pulse.test'])
        assert.ok(rule.allows(origin));
    });

    const foreign = [
      'null',
      '',
      'http://a.test',
      'https://a.test:443',
      'https://a.test:8443',
      'https://a.test/',
      'https://A.test',
      'https://xa.test',
      'https://a.test.evil.test',
      'https://evil.test?https://a.test',
      'https://sub.a.test',
      'https://a.test, https://evil.test',
      '*',
    ];
    it('forbids every other origin, by exact comparison', () => {
      for (const origin of foreign) assert.ok(!rule.allows(origin), origin);
    });
  });

  describe('when no origin is listed', () => {
    it('allows only its own origin', () => {
      const rule = new OriginPolicy([], 'https://pulse.test/cards');
      assert.ok(rule.allows('https://pulse.test'));
      assert.ok(!rule.allows('https://a.test'));
    });

    it('accepts every spelling of loopback as its own origin, on its own port', () => {
      const rule = new OriginPolicy([], 'http://localhost:4020');
      assert.equal(new Set(rule.own).size, rule.own.length);
      for (const host of ['localhost', '127.0.0.1', '[::1]']) assert.ok(rule.allows(`http://${host}:4020`));
      assert.ok(!rule.allows('http://localhost:4030'));
    });
  });

  it('allows every origin, including null, if the list is *', () => {
    const rule = new OriginPolicy('*', 'https://pulse.test');
    assert.equal(rule.isOpen, true);
    assert.ok(rule.allows('null'));
  });
});
