import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { THEMES, themeRule } from './themes.ts';

/** The least contrast of text (WCAG 2.2, 1.4.3). */
const TEXT_CONTRAST = 4.5;

function luminance(hex: string): number {
  const channels = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255);
  const [red = 0, green = 0, blue = 0] = channels.map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

describe('THEMES', () => {
  for (const { title, properties } of THEMES.slice(1)) {
    it(`keep text legible: ${title}`, () => {
      for (const ground of ['background', 'surface']) {
        for (const ink of ['color', 'muted', 'accent']) {
          const found = contrast(properties[`--pulse-card-${ink}`] ?? '', properties[`--pulse-card-${ground}`] ?? '');
          assert.ok(found >= TEXT_CONTRAST, `${ink} on ${ground}: ${found.toFixed(2)}`);
        }
      }
    });
  }
});

describe('themeRule()', () => {
  it('writes a rule that can be copied', () => {
    assert.match(themeRule(THEMES[1]!), /^pulse-card \{\n {2}--pulse-card-[a-z-]+: [^\n]+;\n[^]*\}$/);
  });

  it('writes nothing for a look that sets nothing', () => {
    assert.equal(themeRule(THEMES[0]!), '');
  });
});
