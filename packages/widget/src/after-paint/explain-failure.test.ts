import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { failureOf } from '../data/result.ts';
import { explainFailure } from './explain-failure.ts';

const PORTAL = 'https://portal.test/pulse';
const FACTS = { bff: PORTAL, sourceId: 'src_1', hasToken: false };

describe('explainFailure()', () => {
  before(() => {
    globalThis.location = new URL('https://portal.test/figures') as never;
  });

  const on = (origin: string, code: string, status?: number, facts: object = {}): string => {
    globalThis.location = new URL(origin) as never;
    return explainFailure(failureOf(code, status), { ...FACTS, ...facts });
  };

  it('reports which source the reader isn’t allowed to see', () => {
    assert.equal(
      on('https://portal.test', 'token_forbidden'),
      `Can’t load "src_1" from ${PORTAL} on https://portal.test (403 token_forbidden): this reader can’t see this source`,
    );
  });

  it('reports which source doesn’t exist', () => {
    assert.match(
      on('https://portal.test', 'source_unknown', 404),
      /^Can’t load "src_1" from .* \(404 source_unknown\): /,
    );
  });

  it('repeats the BFF’s advice, if any', () => {
    const failure = { ...failureOf('token_forbidden'), advice: 'The token does not allow this' };
    assert.match(explainFailure(failure, FACTS), /"src_1".*: The token does not allow this$/);
  });

  it('doesn’t mention a source if all sources fail', () => {
    assert.doesNotMatch(on('https://portal.test', 'upstream_unavailable'), /src_1/);
  });

  for (const [code, status] of [
    ['signed_out', 401],
    ['token_forbidden', 403],
    ['network', 0],
  ] as const)
    it(`explains to a page on another origin that a mounted BFF requires the same origin: ${code}`, () =>
      assert.match(
        on('https://blog.test', code, status),
        /mounted BFF gets cookies only from pages with the same origin.*SameSite/,
      ));

  it('doesn’t mention a mounted BFF if the cause must be something else', () => {
    const lines = [
      on('https://portal.test', 'signed_out', 401),
      on('https://blog.test', 'signed_out', 401, { hasToken: true }),
      on('https://blog.test', 'network', 0, { bff: 'https://pulse.test' }),
    ];
    assert.doesNotMatch(lines.join('\n'), /mounted/);
  });

  it('names the URL and the policy as possible causes if there is no response', () => {
    assert.match(
      on('https://blog.test', 'network', 0, { hasToken: true }),
      /\(0 network\): check base-url and the page’s connect-src$/,
    );
  });

  it('works in browsers without URL.parse()', () => {
    const parse = Object.getOwnPropertyDescriptor(URL, 'parse') ?? {};
    Reflect.deleteProperty(URL, 'parse');
    try {
      assert.match(on('https://blog.test', 'network', 0), /\(0 network\)/);
    } finally {
      Object.defineProperty(URL, 'parse', parse);
    }
  });

  it('tells the developer to check that the BFF is running if the response comes from a proxy', () => {
    const line = on('https://portal.test', 'network', 503);
    assert.match(line, /\(503 network\): a proxy responded; check/);
    assert.doesNotMatch(line, /base-url/);
  });
});
