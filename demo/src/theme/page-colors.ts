import { nearestPassing } from './color.ts';
import { colorOf, type Colors, type Scheme, SCHEMES } from './tokens.ts';

/**
 * The colors of the page around a card, as custom properties: the background and a readable text color. Empty if no
 * color was chosen.
 */
export function pageColors(colors: Colors): readonly (readonly [property: string, value: string])[] {
  if (colors.page === undefined) return [];
  const page = (scheme: Scheme) => colorOf(colors, 'page', scheme);
  const words = (scheme: Scheme) => nearestPassing(colorOf({}, 'muted', scheme), page(scheme), 4.5);
  return [
    ['--canvas', `light-dark(${SCHEMES.map(page).join(', ')})`],
    ['--muted', `light-dark(${SCHEMES.map(words).join(', ')})`],
  ];
}
