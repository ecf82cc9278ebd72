import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, it, mock } from 'node:test';
import { joinedCacheControl, writeMergedHead } from './merged-head.ts';

describe('joinedCacheControl()', () => {
  const FILE = 'private, max-age=31536000, immutable';
  const cases: readonly (readonly [theirs: string, ours: string, joined: string])[] = [
    ['private, no-store', FILE, 'private, no-store'],
    ['no-transform', 'no-store', 'no-store'],
    ['public, max-age=0', 'private, no-cache', 'max-age=0, private, no-cache'],
    ['PRIVATE', 'public, max-age=5', 'private, max-age=5'],
    ['public, max-age=3600', 'public, max-age=5', 'public, max-age=5'],
    ['max-age=2', FILE, 'max-age=2, private, immutable'],
    ['no-cache="Set-Cookie", no-transform', 'private, no-cache', 'no-cache, no-transform, private'],
    ['max-age=0, must-revalidate', 'private, no-cache', 'max-age=0, must-revalidate, private, no-cache'],
  ];
  for (const [theirs, ours, joined] of cases) {
    it(`joins "${theirs}" and "${ours}" into "${joined}"`, () =>
      assert.equal(joinedCacheControl(theirs, ours), joined));
  }
});

describe('writeMergedHead()', () => {
  it('sets each header by name, as middleware expects', () => {
    const response = new ServerResponse(new IncomingMessage(new Socket()));
    const head = mock.method(response, 'writeHead');
    writeMergedHead(response, 200, ['Vary', 'Accept-Encoding, Origin', 'Age', '3']);
    assert.deepEqual(head.mock.calls[0]?.arguments, [200]);
    assert.equal(response.getHeader('Age'), '3');
  });
});
