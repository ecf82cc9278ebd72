import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { BAR_PX, placementOf } from './placement.ts';

const CHART = { width: 1_600, height: 900 };
const size = (width: number, height: number) => ({ width, height });

describe('placementOf()', () => {
  for (const [what, facts, expected] of [
    [
      'fills the width of a narrow window',
      { viewport: size(390, 844), natural: CHART, inCard: size(342, 190) },
      { widthPx: 390, zoomedPx: 1_600, isBarAside: false },
    ],
    [
      'opens at the size of the card if that is larger than the window',
      { viewport: size(844, 390), natural: CHART, inCard: size(752, 423) },
      { widthPx: 752, zoomedPx: 1_600, isBarAside: true },
    ],
    [
      'fills the window of a laptop, with the buttons next to the chart',
      { viewport: size(1_280, 720), natural: CHART, inCard: size(1_172, 640) },
      { widthPx: 1_232, zoomedPx: 1_600, isBarAside: true },
    ],
    [
      'leaves margins if the window is larger than the image',
      { viewport: size(1_920, 1_080), natural: CHART, inCard: size(800, 450) },
      { widthPx: 1_728, zoomedPx: 3_456, isBarAside: false },
    ],
  ] as const)
    it(what, () => {
      const { widthPx, ...placement } = placementOf(facts);
      assert.deepEqual(
        { ...placement, widthPx: Math.round(widthPx), zoomedPx: Math.round(placement.zoomedPx) },
        expected,
      );
    });

  it('never makes a chart smaller than it is in its card, and always enlarges it on a click', () => {
    const sizes = fc.record({
      width: fc.integer({ min: 200, max: 3_000 }),
      height: fc.integer({ min: 200, max: 3_000 }),
    });
    fc.assert(
      fc.property(sizes, sizes, sizes, (viewport, natural, inCard) => {
        const { widthPx, zoomedPx } = placementOf({ viewport, natural, inCard });
        const ratio = natural.width / natural.height;
        assert.ok(widthPx >= Math.min(inCard.width, inCard.height * ratio));
        assert.ok(zoomedPx > widthPx);
      }),
    );
  });

  it('uses the whole window for the chart, except for the space that the buttons need', () => {
    const sizes = fc.record({
      width: fc.integer({ min: 240, max: 1_500 }),
      height: fc.integer({ min: 240, max: 850 }),
    });
    fc.assert(
      fc.property(sizes, (viewport) => {
        const facts = { viewport, natural: CHART, inCard: size(0, 0) };
        const fit = Math.min(viewport.width, (viewport.height * 16) / 9);
        assert.ok(placementOf(facts).widthPx >= fit - BAR_PX * (16 / 9));
      }),
    );
  });
});
