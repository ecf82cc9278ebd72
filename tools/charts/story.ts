import type * as demo from '@pulse-card/demo/data/story';
import type { EChartsOption } from 'echarts';

/** The result of one successful run: a chart and its texts. */
export interface Edition extends Omit<demo.Edition, 'chart'> {
  readonly chart: EChartsOption;
}

/** A source of the demo with its history, before its charts are drawn. */
export interface Story extends Omit<demo.Story, 'editions'> {
  /** The results of the runs, newest first. Older runs repeat the oldest result. */
  readonly editions: () => readonly Edition[];
}
