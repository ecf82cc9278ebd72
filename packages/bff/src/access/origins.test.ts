import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { OriginRule } from './origins.ts';

describe('OriginRule', () => {
  describe('when origins are listed', () => {
    const rule = new OriginRule(['https://a.test', 'https://b.test:8443'], 'https://pulse.test');
    for (const origin of ['https://a.test', 'https://b.test:8443', 'https://pulse.test']) {
      it(`allows ${origin}`, () => assert.equal(rule.judge(origin), 'allowed'));
    }
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
    for (const origin of foreign) {
      it(`forbids ${JSON.stringify(origin)}`, () => assert.equal(rule.judge(origin), 'forbidden'));
    }
    it('has nothing against a request that names none', () => assert.equal(rule.judge(undefined), 'absent'));
  });

  describe('when none is listed', () => {
    it('allows its own origin alone', () => {
      const rule = new OriginRule([], 'https://pulse.test/cards');
      assert.equal(rule.judge('https://pulse.test'), 'allowed');
      assert.equal(rule.judge('https://a.test'), 'forbidden');
    });

    it('knows itself by every spelling of loopback, on its own port', () => {
      const rule = new OriginRule([], 'http://localhost:4020');
      assert.equal(new Set(rule.own).size, rule.own.length);
      for (const host of ['localhost', '127.0.0.1', '[::1]'])
        assert.equal(rule.judge(`http://${host}:4020`), 'allowed');
      assert.equal(rule.judge('http://localhost:4030'), 'forbidden');
    });
  });

  it('allows every origin, null too, where all are', () => {
    const rule = new OriginRule('*', 'https://pulse.test');
    assert.equal(rule.isOpen, true);
    assert.equal(rule.judge('null'), 'allowed');
  });
});
