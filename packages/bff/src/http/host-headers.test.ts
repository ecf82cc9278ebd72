import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, it, mock } from 'node:test';
import { stricterCacheControl, writeMergedHead } from './host-headers.ts';

const PUBLIC = 'public, max-age=5, stale-while-revalidate=30, stale-if-error=86400';

describe('stricterCacheControl()', () => {
  const cases: readonly (readonly [existing: string | undefined, own: string, merged: string])[] = [
    [undefined, PUBLIC, PUBLIC],
    ['private, no-store', PUBLIC, 'private, no-store'],
    ['no-store', 'private, max-age=5', 'no-store, private'],
    ['private', PUBLIC, 'private, max-age=5, stale-while-revalidate=30, stale-if-error=86400'],
    ['PRIVATE', 'no-store', 'private, no-store'],
    ['public, max-age=3600', PUBLIC, PUBLIC],
    ['max-age=2', PUBLIC, 'max-age=2, public, stale-while-revalidate=30, stale-if-error=86400'],
    ['no-cache', PUBLIC, 'no-cache, public, max-age=5'],
    ['max-age=0, must-revalidate', PUBLIC, 'max-age=0, must-revalidate, public'],
    ['max-age=soon', PUBLIC, 'max-age=0, public, stale-while-revalidate=30, stale-if-error=86400'],
    ['private', 'public, max-age=31536000, immutable', 'private, max-age=31536000, immutable'],
    ['no-transform', 'no-store', 'no-transform, no-store'],
  ];
  for (const [existing, own, merged] of cases) {
    it(`makes "${merged}" of "${existing ?? ''}" and "${own}"`, () =>
      assert.equal(stricterCacheControl(existing, own), merged));
  }
});

describe('writeMergedHead()', () => {
  const written = (prepare: (response: ServerResponse) => void): ServerResponse => {
    const response = new ServerResponse(new IncomingMessage(new Socket()));
    prepare(response);
    writeMergedHead(response, 200, ['Vary', 'Accept-Encoding, Origin', 'Age', '3']);
    return response;
  };

  it('sets each header by its name where middleware waits for the head, as on-headers does', () => {
    let head = mock.fn<ServerResponse['writeHead']>();
    const response = written((own) => (head = mock.method(own, 'writeHead')));
    assert.deepEqual(head.mock.calls[0]?.arguments, [200]);
    assert.equal(response.getHeader('Age'), '3');
  });
});
