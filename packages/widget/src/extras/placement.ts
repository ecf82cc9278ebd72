/** Width and height in CSS pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** What an enlarged chart's size depends on. */
export interface PlacementFacts {
  readonly viewport: Size;
  /** The image file's size. */
  readonly natural: Size;
  /** The space for the chart in its card. */
  readonly inCard: Size;
}

/** How a chart is enlarged. */
export interface Placement {
  /** The image's width, in CSS pixels. */
  readonly widthPx: number;
  /** The image's width after a click, in CSS pixels. */
  readonly zoomedPx: number;
  /** Whether the buttons are next to the chart instead of above it. */
  readonly isBarAside: boolean;
}

/** The space for the buttons, which never cover the chart: 40 px for a button, and 4 px on each side. */
export const BAR_PX = 48;

/**
 * In a card, the chart background is 87 to 112% as tall as the chart, so a chart can be narrower than its background.
 */
const MAX_CARD_SLACK = 1.15;

/** An enlarged chart's size. The chart is as large as the viewport allows, but never smaller than in its card. */
export function placementOf(facts: PlacementFacts): Placement {
  const { viewport, natural, inCard } = facts;
  const ratio = natural.width / natural.height;
  const fit = fitOf(facts, ratio);
  const widthInCardPx = Math.min(inCard.width, inCard.height * ratio * MAX_CARD_SLACK);
  const widthPx = Math.max(fit.widthPx, widthInCardPx);
  const zoomedPx = natural.width > widthPx * 1.1 ? natural.width : widthPx * 2;
  return { widthPx, zoomedPx, isBarAside: fit.isBarAside && widthPx + BAR_PX <= viewport.width };
}

/** The larger of two sizes: with the buttons above the chart, or next to it. */
function fitOf({ viewport, natural }: PlacementFacts, ratio: number): Omit<Placement, 'zoomedPx'> {
  const margin = 2 * marginOf(viewport, natural);
  const widthBeside = (barWidth: number, barHeight: number): number =>
    Math.min(viewport.width - Math.max(margin, barWidth), (viewport.height - Math.max(margin, barHeight)) * ratio);
  const [above, aside] = [widthBeside(0, BAR_PX), widthBeside(BAR_PX, 0)];
  return { widthPx: Math.max(above, aside), isBarAside: aside > above };
}

/** The margin: 16 to 64 px, if the viewport is larger than the image. */
function marginOf({ width, height }: Size, natural: Size): number {
  const hasRoom = width > natural.width && height > natural.height;
  return hasRoom ? Math.min(64, Math.max(16, 0.05 * Math.min(width, height))) : 0;
}
