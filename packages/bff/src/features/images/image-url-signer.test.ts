import assert from 'node:assert/strict';
import { createSecretKey } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { imageUrlSigner } from './image-url-signer.ts';

const HOUR_MS = 3_600_000;
const NOW_MS = 1_000_000 * HOUR_MS;

/** A signer with numbered secrets, a given number of milliseconds after the start of an hour. */
const signerAt = (intoHourMs: number, [first = 1, ...earlier]: readonly number[] = []) => {
  const secretOf = (byte: number) => createSecretKey(Buffer.alloc(32, byte));
  return imageUrlSigner(() => [secretOf(first), ...earlier.map(secretOf)], { wallNow: () => NOW_MS + intoHourMs });
};

const isSigned = (signer: ReturnType<typeof imageUrlSigner>, sourceId: string, query: string): boolean =>
  signer.isSigned(sourceId, new URLSearchParams(query));

const id = fc.stringMatching(/^[\w~-][\w.~-]{0,40}$/);

describe('imageUrlSigner()', () => {
  const images = signerAt(0);
  const query = images.queryFor('src_1', 'run_1');

  it('accepts a signed URL for one to two hours', () => {
    const late = signerAt(HOUR_MS - 1).queryFor('src_1', 'run_1');
    assert.ok(isSigned(signerAt(2 * HOUR_MS - 1), 'src_1', late));
    assert.equal(isSigned(signerAt(2 * HOUR_MS), 'src_1', late), false);
  });

  it('returns the same URL for an hour, then a new one', () => {
    const [same, later] = [signerAt(HOUR_MS - 1), signerAt(HOUR_MS)];
    assert.deepEqual([same.queryFor('src_1', 'run_1'), same.revision], [query, images.revision]);
    assert.notEqual(later.queryFor('src_1', 'run_1'), query);
    assert.notEqual(later.revision, images.revision);
  });

  it('accepts another instance’s signature only if both instances share a secret', () => {
    assert.ok(isSigned(signerAt(0), 'src_1', query));
    assert.equal(isSigned(signerAt(0, [2]), 'src_1', query), false);
  });

  it('signs with the first secret and also accepts a second secret', () => {
    const rotated = signerAt(0, [2, 1]);
    assert.ok(isSigned(rotated, 'src_1', query));
    assert.equal(rotated.queryFor('src_1', 'run_1'), signerAt(0, [2]).queryFor('src_1', 'run_1'));
  });

  it('rejects a signature for a different source or run', () => {
    fc.assert(
      fc.property(id, id, id, id, (source, run, otherSource, otherRun) => {
        const signed = images.queryFor(source, run);
        assert.equal(isSigned(images, otherSource, signed), otherSource === source);
        const moved = new URLSearchParams(signed);
        moved.set('run', otherRun);
        assert.equal(isSigned(images, source, moved.toString()), otherRun === run);
      }),
    );
  });

  for (const again of ['run=run_2', 'exp=99999999999', 'sig=AAAA'])
    it(`rejects a query with a second ${again}`, () =>
      assert.equal(isSigned(images, 'src_1', `${query}&${again}`), false));

  it('rejects a query with one changed character', () => {
    fc.assert(
      fc.property(fc.nat(query.length - 1), fc.string({ minLength: 1, maxLength: 1 }), (at, character) => {
        fc.pre(query[at] !== character);
        assert.equal(isSigned(images, 'src_1', query.slice(0, at) + character + query.slice(at + 1)), false);
      }),
    );
  });
});
