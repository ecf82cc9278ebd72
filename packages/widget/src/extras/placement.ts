/** Width and height in CSS pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The facts on which the size of an enlarged chart depends. */
export interface PlacementFacts {
  readonly viewport: Size;
  /** The size of the image file. */
  readonly natural: Size;
  /** The space that the chart has in its card. */
  readonly inCard: Size;
  /** Whether the reader can rotate the screen, for example on a phone. */
  readonly canTurn: boolean;
}

/** How a chart is enlarged. */
export interface Placement {
  /** The width of the image before it is rotated, in CSS pixels. */
  readonly widthPx: number;
  /** The width of the image after a click, in CSS pixels. */
  readonly zoomedPx: number;
  readonly isTurned: boolean;
  /** Whether the buttons are next to the chart, not above it. */
  readonly isBarAside: boolean;
}

/** The space for the buttons, which never cover the chart: 40 px for a button, and 4 px on each side. */
export const BAR_PX = 48;

/** A chart is rotated only if that makes it larger by this factor. */
const MIN_TURN_GAIN = 1.2;

/**
 * In a card, the chart background is 87 to 112% as tall as the chart, so a chart can be narrower than its background.
 */
const MAX_CARD_SLACK = 1.15;

/** The size of an enlarged chart. The chart is as large as the viewport allows, but never smaller than in its card. */
export function placementOf(facts: PlacementFacts): Placement {
  const { viewport, natural, inCard } = facts;
  const ratio = natural.width / natural.height;
  const fit = fitOf(facts, ratio);
  const widthInCardPx = Math.min(inCard.width, inCard.height * ratio * MAX_CARD_SLACK);
  const isLargerInCard = widthInCardPx > fit.widthPx;
  // A chart that is wider than the viewport scrolls, so there is no reason to rotate it.
  const isTurned = fit.isTurned && !isLargerInCard;
  const widthPx = Math.max(fit.widthPx, widthInCardPx);
  const zoomedPx = natural.width > widthPx * 1.1 ? natural.width : widthPx * 2;
  return { widthPx, zoomedPx, isTurned, isBarAside: fit.isBarAside && widthPx + BAR_PX <= viewport.width };
}

function fitOf({ viewport, natural, canTurn }: PlacementFacts, ratio: number) {
  const margin = marginOf(viewport, natural);
  const fits = [false, true].flatMap((isTurned) =>
    [false, true].map((isBarAside) => {
      const width = viewport.width - Math.max(2 * margin, isBarAside ? BAR_PX : 0);
      const height = viewport.height - Math.max(2 * margin, isBarAside ? 0 : BAR_PX);
      const widthPx = isTurned ? Math.min(height, width * ratio) : Math.min(width, height * ratio);
      return { widthPx, isTurned, isBarAside };
    }),
  );
  const [upright, turned] = [fits.slice(0, 2), fits.slice(2)].map(largest) as [Fit, Fit];
  return canTurn && turned.widthPx > upright.widthPx * MIN_TURN_GAIN ? turned : upright;
}

interface Fit {
  readonly widthPx: number;
  readonly isTurned: boolean;
  readonly isBarAside: boolean;
}

function largest(fits: readonly Fit[]): Fit {
  return fits.reduce((best, fit) => (fit.widthPx > best.widthPx ? fit : best));
}

/** The margin: 16 to 64 px, if the viewport is larger than the image. */
function marginOf({ width, height }: Size, natural: Size): number {
  const hasRoom = width > natural.width && height > natural.height;
  return hasRoom ? Math.min(64, Math.max(16, 0.05 * Math.min(width, height))) : 0;
}
