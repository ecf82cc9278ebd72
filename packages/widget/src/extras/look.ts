import { create } from '../dom.ts';
import type { ShownCard } from '../elements/pulse-card/shown-card.ts';

/** A card's colors, font, and direction on its page. */
export interface Look {
  readonly background: string;
  readonly color: string;
  readonly muted: string;
  readonly accent: string;
  readonly plate: string;
  readonly font: string;
  readonly direction: CanvasDirection;
}

/** A card's look on its page. */
export function lookOf({ host }: ShownCard): Look {
  const root = host.shadowRoot as ShadowRoot;
  const article = root.querySelector('article') as HTMLElement;
  const styleOf = (selector: string) => getComputedStyle(root.querySelector(selector) ?? article);
  const { color, fontFamily, direction } = getComputedStyle(article);
  return {
    background: backgroundOf(article),
    color,
    muted: styleOf('header').color,
    accent: styleOf('[part=note] svg').fill,
    plate: plateOf(article),
    font: fontFamily,
    direction: direction as CanvasDirection,
  };
}

/**
 * The chart background in this card, even if the card doesn't currently show a chart. If the card makes its chart dark,
 * this is the background for printing.
 */
function plateOf(article: HTMLElement): string {
  if (article.classList.contains('dark-chart')) return '#dfe2e8';
  const probe = create('div');
  probe.className = 'plate';
  article.append(probe);
  const { backgroundColor } = getComputedStyle(probe);
  probe.remove();
  return backgroundColor;
}

/** The first background that isn't transparent, starting with the card and going up through its ancestors. */
function backgroundOf(element: Element): string {
  const { backgroundColor } = getComputedStyle(element);
  const parent = element.parentElement ?? (element.getRootNode() as Partial<ShadowRoot>).host;
  const isTransparent = /^rgba\(.*, 0\)$/.test(backgroundColor);
  return isTransparent ? (parent ? backgroundOf(parent) : '#fff') : backgroundColor;
}
