import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { allows, directiveWith, policiesOf, type PolicyRequest } from './csp.ts';

const page = new URL('https://www.page.test/report');
const [bff, cdn] = [new URL('https://pulse.test/v1/pulses'), new URL('https://cdn.test/charts/a%20b.png')];

function isAllowed(text: string, request: Omit<PolicyRequest, 'url'> & { url?: URL }, from = page): boolean {
  return policiesOf(text).every((policy) => allows(policy, { url: bff, ...request }, from));
}

describe('allows()', () => {
  for (const [source, url, expected] of [
    ['*', 'https://pulse.test/', true],
    ["'self'", 'https://www.page.test/x', true],
    ["'self'", 'https://www.page.test:8443/x', false],
    ['https:', 'https://pulse.test/', true],
    ['https:', 'http://pulse.test/', false],
    ['pulse.test', 'https://pulse.test/', true],
    ['pulse.test', 'http://pulse.test/', false],
    ['http://pulse.test', 'https://pulse.test/', true],
    ['http://pulse.test:80', 'https://pulse.test/', true],
    ['https://pulse.test', 'https://pulse.test:8443/', false],
    ['https://pulse.test:*', 'https://pulse.test:8443/', true],
    ['*.pulse.test', 'https://a.b.pulse.test/', true],
    ['*.pulse.test', 'https://pulse.test/', false],
    ['*.pulse.test', 'https://evilpulse.test/', false],
    ['https://pulse.test/v1/', 'https://pulse.test/v1/pulses', true],
    ['https://pulse.test/v1', 'https://pulse.test/v1/pulses', false],
    ['https://pulse.test/', 'https://pulse.test/v1/pulses', true],
    ['https://pulse.test/a%20b', 'https://pulse.test/a b', true],
    ['https://[::1]:8080', 'https://[::1]:8080/', false],
    ['*', 'https://[::1]:8080/', true],
    ['ht tp', 'https://pulse.test/', false],
  ] as const)
    it(`${expected ? 'allows' : 'doesn’t allow'} ${url} with ${source}`, () =>
      assert.equal(isAllowed(`connect-src ${source}`, { kind: 'connect', url: new URL(url) }), expected));

  for (const [policy, kind, expected] of [
    ['', 'connect', true],
    ["default-src 'none'", 'connect', false],
    ["default-src 'none'; connect-src pulse.test", 'connect', true],
    ["default-src 'none'; connect-src pulse.test", 'image', false],
    ["script-src-elem pulse.test; script-src 'none'", 'script', true],
    ['script-src-elem; script-src pulse.test', 'script', false],
    ["child-src 'none'; default-src *", 'frame', false],
    ["frame-src pulse.test; child-src 'none'", 'frame', true],
    ["connect-src pulse.test; connect-src 'none'", 'connect', true],
    ["connect-src pulse.test, connect-src 'none'", 'connect', false],
  ] as const)
    it(`${expected ? 'allows' : 'doesn’t allow'} ${kind} with "${policy}"`, () =>
      assert.equal(isAllowed(policy, { kind }), expected));

  it('considers only nonces and hashes for scripts if the policy has strict-dynamic', () => {
    const script = (policy: string, more: Partial<PolicyRequest> = {}) =>
      isAllowed(`script-src ${policy}`, { kind: 'script', ...more });
    assert.equal(script("'nonce-Abc'", { nonce: 'Abc' }), true);
    assert.equal(script("'nonce-Abc'", { nonce: 'abc' }), false);
    assert.equal(script("'nonce-Abc'"), false);
    assert.equal(script("'sha256-x' 'sha384-y'", { integrity: 'sha256-x sha384-y' }), true);
    assert.equal(script("'sha256-x'", { integrity: 'sha256-x sha384-y' }), false);
    assert.equal(script("pulse.test 'Strict-Dynamic'"), false);
    assert.equal(script("pulse.test 'strict-dynamic' 'nonce-Abc'", { nonce: 'Abc' }), true);
    assert.equal(script("'unsafe-inline'"), false);
  });

  for (const [source, url, expected] of [
    ['pulse.test', 'http://pulse.test/', true],
    ["'self'", 'https://www.page.test/v1/pulses', true],
    ["'self'", 'https://www.page.test:8443/v1/pulses', false],
  ] as const)
    it(`${expected ? 'allows' : 'doesn’t allow'} ${url} with ${source} on an http: page`, () => {
      const request = { kind: 'connect', url: new URL(url) } as const;
      assert.equal(isAllowed(`connect-src ${source}`, request, new URL('http://www.page.test/')), expected);
    });

  it('parses a policy with a million spaces within the time limit', { timeout: 120_000 }, () => {
    assert.equal(isAllowed(`connect-src pulse.test${' '.repeat(1_000_000)}x`, { kind: 'connect' }), true);
  });
});

describe('directiveWith()', () => {
  // The `diagnose()` tests with broken pages cover the usual directives.
  for (const [text, kind, line] of [
    ["script-src-elem 'NONE'", 'script', 'script-src-elem https://cdn.test'],
    ["child-src 'self'", 'frame', "child-src 'self' https://cdn.test"],
    ["default-src 'none'; frame-src", 'frame', 'frame-src https://cdn.test'],
  ] as const)
    it(`adds a URL to "${text}"`, () => {
      const [policy] = policiesOf(text);
      assert.ok(policy);
      assert.equal(directiveWith(policy, kind, [cdn.origin]), line);
    });
});
