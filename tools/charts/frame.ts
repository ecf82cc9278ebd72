import type { EChartsOption, GridComponentOption, XAXisComponentOption, YAXisComponentOption } from 'echarts';
import { INK } from './palette.ts';

/** The size of every chart. */
export const CHART_WIDTH = 1600;
export const CHART_HEIGHT = 900;

/**
 * Type sizes in the chart's own pixels. In a card that is 320 px wide, a chart is about 290 px wide, a fifth of its
 * full width. A type size of 46 therefore becomes 8 to 9 px on the reader's screen. This size is just readable, and the
 * same text isn't too large in a card that is 600 px wide.
 */
export const TYPE = { axis: 46, label: 48, callout: 58, credit: 34 } as const;

/** Line widths on the same scale. A line width of 9 is nearly 2 px in the smallest card. */
export const STROKE = { grid: 2, thin: 5, line: 9, ring: 7 } as const;

/** The options that all charts share: no motion, one font, and space for the labels. */
export function frame(grid: GridComponentOption = {}): EChartsOption {
  return {
    animation: false,
    backgroundColor: INK.background,
    textStyle: { fontFamily: 'Inter', fontSize: TYPE.axis, color: INK.axis },
    grid: { left: 170, right: 70, top: 60, bottom: 100, outerBoundsMode: 'none', ...grid },
  };
}

/**
 * The credit line, which the data's license requires wherever the chart is shown. The line is above the plot, on the
 * right.
 */
export function credit(text: string): Pick<EChartsOption, 'graphic'> {
  const style = { text, fill: INK.axis, fontFamily: 'Inter', fontSize: TYPE.credit, fontWeight: 500 } as const;
  return { graphic: { type: 'text', right: 24, top: 12, style } };
}

const axisLabel = { fontFamily: 'Inter', fontSize: TYPE.axis, fontWeight: 500, color: INK.axis } as const;

/** A vertical axis of values with light horizontal lines, a few labels, and no axis line. */
export function valueAxis(axis: YAXisComponentOption = {}): YAXisComponentOption {
  const quiet = { axisLine: { show: false }, axisTick: { show: false } };
  const lines = { show: true, lineStyle: { color: INK.grid, width: STROKE.grid } };
  const label = { ...axisLabel, margin: 24, ...('axisLabel' in axis ? axis.axisLabel : {}) };
  return {
    type: 'value',
    splitNumber: 4,
    splitLine: lines,
    ...quiet,
    ...axis,
    axisLabel: label,
  } as YAXisComponentOption;
}

/** A horizontal axis of categories or values, with labels only. */
export function baseAxis(axis: XAXisComponentOption): XAXisComponentOption {
  const quiet = { axisLine: { show: false }, axisTick: { show: false }, splitLine: { show: false } };
  const label = { ...axisLabel, margin: 28, hideOverlap: false, ...('axisLabel' in axis ? axis.axisLabel : {}) };
  return { ...quiet, ...axis, axisLabel: label } as XAXisComponentOption;
}

/** Labels only the given categories, because they wouldn't all fit. */
export function labelOnly(shown: ReadonlyMap<string, string>): Record<string, unknown> {
  return {
    interval: (_: number, value: string) => shown.has(value),
    formatter: (value: string) => shown.get(value) ?? '',
  };
}
