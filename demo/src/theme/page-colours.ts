import { nearestPassing } from './colour.ts';
import { colourOf, type Colours, type Scheme, SCHEMES } from './tokens.ts';

/** The colors of the page around a card as custom properties: its background, and readable text. Empty if no color was chosen. */
export function pageColours(colours: Colours): readonly (readonly [property: string, value: string])[] {
  if (colours.page === undefined) return [];
  const page = (scheme: Scheme) => colourOf(colours, 'page', scheme);
  const words = (scheme: Scheme) => nearestPassing(colourOf({}, 'muted', scheme), page(scheme), 4.5);
  return [
    ['--canvas', `light-dark(${SCHEMES.map(page).join(', ')})`],
    ['--muted', `light-dark(${SCHEMES.map(words).join(', ')})`],
  ];
}
