import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pictureWords, readersFigure } from './readers-card.ts';

const none = { fresh: 0, stale: 0, waited: 0, refused: 0, failed: 0 };

describe('readersFigure()', () => {
  it('shows 0 requests if no card has requested a chart, even if requests were rejected', () =>
    assert.deepEqual(readersFigure({ ...none, refused: 3 }), ['0', 'requests from cards']));

  it('shows the percentage of requests that returned a chart', () =>
    assert.deepEqual(readersFigure({ ...none, fresh: 1_000, waited: 2, failed: 2 }), [
      '99.8%',
      'of 1,004 requests got a chart',
    ]));

  it('uses the singular for one request', () =>
    assert.deepEqual(readersFigure({ ...none, stale: 1 }), ['100%', 'of 1 request got a chart']));
});

describe('pictureWords()', () => {
  const sourcesWith = (viewsPerMinute: number) => [{ viewsPerMinute: 0 }, { viewsPerMinute }];

  it('explains where views are counted if charts are loaded only as images', () =>
    assert.equal(
      pictureWords(none, sourcesWith(5.9)),
      'Charts that are loaded only as images (/image) are counted as views below, not here.',
    ));

  it('is empty if cards have requested charts or if there are no chart views', () => {
    assert.equal(pictureWords({ ...none, fresh: 1 }, sourcesWith(5.9)), '');
    assert.equal(pictureWords(none, sourcesWith(0)), '');
  });
});
