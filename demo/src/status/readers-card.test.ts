import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pictureWords, readersFigure } from './readers-card.ts';

const none = { fresh: 0, stale: 0, waited: 0, refused: 0, failed: 0 };

describe('readersFigure()', () => {
  it('says that no card has asked, whoever was turned away', () =>
    assert.deepEqual(readersFigure({ ...none, refused: 3 }), ['0', 'requests of cards']));

  it('says of how many requests which share got a chart', () =>
    assert.deepEqual(readersFigure({ ...none, fresh: 1_000, waited: 2, failed: 2 }), [
      '99.8%',
      'of 1,004 requests got a chart',
    ]));

  it('speaks of one request', () =>
    assert.deepEqual(readersFigure({ ...none, stale: 1 }), ['100%', 'of 1 request got a chart']));
});

describe('pictureWords()', () => {
  const sourcesWith = (viewsPerMinute: number) => [{ viewsPerMinute: 0 }, { viewsPerMinute }];

  it('says where charts that were loaded as pictures are counted', () =>
    assert.equal(
      pictureWords(none, sourcesWith(5.9)),
      'Charts loaded as pictures alone (/image) are counted as views below, not here.',
    ));

  it('says nothing where cards have asked, or no one looks', () => {
    assert.equal(pictureWords({ ...none, fresh: 1 }, sourcesWith(5.9)), '');
    assert.equal(pictureWords(none, sourcesWith(0)), '');
  });
});
