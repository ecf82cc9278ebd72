import { INK } from './palette.ts';
import { STROKE, TYPE } from './frame.ts';

/** A point in the series that has a ring and a label. */
export interface Callout {
  readonly at: readonly [x: string | number, y: number];
  readonly text: string;
  readonly color: string;
  readonly side?: 'top' | 'left' | 'right' | 'bottom';
}

/** The rings and labels of a few points in a series. */
export function callouts(points: readonly Callout[]): Record<string, unknown> {
  return {
    symbol: 'circle',
    symbolSize: 30,
    silent: true,
    data: points.map(({ at, text, color, side = 'top' }) => ({
      coord: at,
      itemStyle: { color, borderColor: INK.background, borderWidth: STROKE.ring },
      label: { show: true, formatter: text, position: side, distance: 18, ...calloutType },
    })),
  };
}

const calloutType = {
  fontFamily: 'Inter',
  fontSize: TYPE.callout,
  fontWeight: 700,
  color: INK.text,
  textBorderColor: INK.background,
  textBorderWidth: 10,
} as const;
