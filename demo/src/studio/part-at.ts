import type { Token } from '../theme/tokens.ts';

/** The part of a card that received an event, and the part's box. */
export interface PartHit {
  readonly name: string;
  readonly box: DOMRect;
}

/** The main color of each part. */
const PART_TOKENS: Readonly<Record<string, Token>> = {
  base: 'background',
  name: 'muted',
  note: 'muted',
  header: 'muted',
  heading: 'color',
  status: 'warning',
  time: 'muted',
  chart: 'plate',
  image: 'plate',
  enlarge: 'plate',
  summary: 'color',
  footer: 'muted',
  toggle: 'accent',
  analysis: 'muted',
  link: 'muted',
  error: 'color',
  empty: 'color',
  retry: 'control',
  skeleton: 'surface',
};

/** The innermost part of a card at an event, or null if the event happened outside of cards. */
export function partAt(event: Event): PartHit | null {
  for (const target of event.composedPath()) {
    if (!(target instanceof Element) || target.localName === 'pulse-card') return null;
    const [name] = target.part;
    // The button covers the whole chart, but a person who clicks there means the chart.
    if (name !== undefined && name !== 'enlarge' && name !== 'image')
      return { name, box: target.getBoundingClientRect() };
  }
  return null;
}

/** The color to change for a part. */
export function tokenOfPart(part: string): Token {
  return PART_TOKENS[part] ?? 'background';
}
