import assert from 'node:assert/strict';
import { createSecretKey, type KeyObject } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ImageUrlSigner } from './image-url-signer.ts';

const HOUR_MS = 3_600_000;
const secretOf = (byte: number): KeyObject => createSecretKey(Buffer.alloc(32, byte));

function openHarness() {
  const world = { nowMs: 1_000_000 * HOUR_MS, secrets: [secretOf(1)] };
  return { world, images: new ImageUrlSigner({ secrets: () => world.secrets, wallNow: () => world.nowMs }) };
}

const id = fc.stringMatching(/^[\w~-][\w.~-]{0,40}$/);

describe('ImageUrlSigner', () => {
  it('opens what it was made for, for one to two hours', () => {
    const { images, world } = openHarness();
    world.nowMs += HOUR_MS - 1;
    const query = images.queryFor('src_1', 'run_1');
    world.nowMs += HOUR_MS;
    assert.ok(images.isSigned('src_1', query));
    world.nowMs += 1;
    assert.equal(images.isSigned('src_1', query), false);
  });

  it('gives the same address all through an hour, and another one then', () => {
    const { images, world } = openHarness();
    const [query, period] = [images.queryFor('src_1', 'run_1'), images.period()];
    world.nowMs += HOUR_MS - 1;
    assert.deepEqual([images.queryFor('src_1', 'run_1'), images.period()], [query, period]);
    world.nowMs += 1;
    assert.notEqual(images.queryFor('src_1', 'run_1'), query);
    assert.notEqual(images.period(), period);
  });

  it('agrees with another instance that has the same secret, and with no other', () => {
    const query = openHarness().images.queryFor('src_1', 'run_1');
    const { images, world } = openHarness();
    assert.ok(images.isSigned('src_1', query));
    world.secrets = [secretOf(2)];
    assert.equal(images.isSigned('src_1', query), false);
  });

  it('believes the secret before for as long as it is named', () => {
    const { images, world } = openHarness();
    const query = images.queryFor('src_1', 'run_1');
    world.secrets = [secretOf(2), secretOf(1)];
    assert.ok(images.isSigned('src_1', query));
    assert.notEqual(images.queryFor('src_1', 'run_1'), query);
  });

  it('opens nothing of another source or run, whatever these are called', () => {
    const { images } = openHarness();
    fc.assert(
      fc.property(id, id, id, id, (source, run, otherSource, otherRun) => {
        const query = images.queryFor(source, run);
        assert.ok(images.isSigned(source, query));
        if (otherSource !== source) assert.equal(images.isSigned(otherSource, query), false);
        const moved = new URLSearchParams(query);
        moved.set('run', otherRun);
        assert.equal(images.isSigned(source, moved.toString()), otherRun === run);
      }),
    );
  });

  it('opens nothing for a query of which a character is another', () => {
    const { images } = openHarness();
    const query = images.queryFor('src_1', 'run_1');
    fc.assert(
      fc.property(fc.nat(query.length - 1), fc.string({ minLength: 1, maxLength: 1 }), (at, character) => {
        fc.pre(query[at] !== character);
        assert.equal(images.isSigned('src_1', query.slice(0, at) + character + query.slice(at + 1)), false);
      }),
    );
  });
});
