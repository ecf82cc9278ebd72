import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { frameLookOf } from '../theme/look.ts';
import { frameSettingsOf } from './frame-settings.ts';
import { DEFAULT_SETTINGS, type Settings } from './settings.ts';

const STYLED: Settings = {
  ...DEFAULT_SETTINGS,
  sourceId: 'src_1',
  open: true,
  label: 'Q2 revenue',
  reviewedBy: 'Ada',
  look: { ...DEFAULT_SETTINGS.look, font: 'Lato', cornersEm: 0, sizeEm: 1.25, spacingEm: 2, maxWidthEm: 40 },
};

describe('frameSettingsOf()', () => {
  for (const [theme, shown] of [
    ['auto', 'light'],
    ['light', 'light'],
    ['dark', 'dark'],
  ] as const)
    it(`shows a ${shown} card on every page if the theme is ${theme}`, () =>
      assert.equal(frameSettingsOf({ ...DEFAULT_SETTINGS, theme }).theme, shown));

  it('omits what the address of a frame can’t express', () => {
    const { open, label, reviewedBy, look } = frameSettingsOf(STYLED);
    assert.deepEqual({ open, label, reviewedBy }, { open: false, label: '', reviewedBy: '' });
    assert.deepEqual(frameLookOf(look), { ...frameLookOf(STYLED.look), query: 'radius=0&font=system', left: [] });
  });

  it('keeps a font that the address can express', () => {
    const look = { ...STYLED.look, font: "Charter, 'Bitstream Charter', 'Sitka Text', Cambria, Georgia, serif" };
    assert.match(frameLookOf(frameSettingsOf({ ...STYLED, look }).look).query, /font=serif/);
  });
});
