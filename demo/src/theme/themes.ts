import { FRAME_FONTS } from '@pulse-card/widget/snippet';
import { type Look, PLAIN_LOOK } from './look.ts';

/** A look to start from. */
export interface Theme extends Look {
  readonly id: string;
  readonly title: string;
}

/**
 * Four looks for light and dark pages. They use fonts that readers already have, so that none have to be loaded. Colors
 * derived from the background are omitted.
 */
export const THEMES: readonly Theme[] = [
  {
    id: 'default',
    title: 'Default',
    ...PLAIN_LOOK,
  },
  {
    id: 'news',
    title: 'News',
    ...PLAIN_LOOK,
    colors: {
      background: { light: '#fffaf0', dark: '#1b1813' },
      color: { light: '#1b1813', dark: '#f4eee2' },
      muted: { light: '#665d50', dark: '#b3a995' },
      border: { light: '#d8cdb8', dark: '#3a342a' },
      control: { light: '#8a7f6c', dark: '#857b69' },
      accent: { light: '#b0221c', dark: '#ff9d8a' },
      plate: { dark: '#e6dfd0' },
    },
    font: FRAME_FONTS.serif,
    cornersEm: 0,
  },
  {
    id: 'portal',
    title: 'Portal',
    ...PLAIN_LOOK,
    colors: {
      background: { light: '#f7fafd', dark: '#16202e' },
      color: { light: '#10233c', dark: '#e6edf5' },
      muted: { light: '#51647a', dark: '#93a4b8' },
      control: { light: '#758aa3', dark: '#65798f' },
      accent: { light: '#0b62b5', dark: '#5cc8ff' },
      plate: { dark: '#dbe3ec' },
    },
    cornersEm: 0.25,
    spacingEm: 0.875,
  },
  {
    id: 'magazine',
    title: 'Magazine',
    ...PLAIN_LOOK,
    colors: {
      background: { light: '#ffffff', dark: '#121212' },
      color: { light: '#111111', dark: '#f5f5f5' },
      muted: { light: '#5c5c5c', dark: '#a8a8a8' },
      border: { light: '#111111', dark: '#f5f5f5' },
      control: { light: '#7a7a7a', dark: '#858585' },
      accent: { light: '#111111', dark: '#f5f5f5' },
      plate: { dark: '#e2e2e2' },
    },
    font: FRAME_FONTS.geometric,
    cornersEm: 1.5,
    spacingEm: 1.5,
  },
];

/** The theme that matches a look, or undefined if none does. */
export function themeOf(look: Look): Theme | undefined {
  return THEMES.find((theme) => comparable(theme) === comparable(look));
}

function comparable({ colors, ...look }: Look): string {
  const { page: _, ...ofCard } = colors;
  const sorted = Object.entries(ofCard).toSorted(([a], [b]) => a.localeCompare(b));
  const pairs = sorted.map(([token, { light, dark }]) => [token, light, dark]);
  return JSON.stringify([
    pairs,
    Object.keys(PLAIN_LOOK).map((key) => key === 'colors' || look[key as keyof typeof look]),
  ]);
}
