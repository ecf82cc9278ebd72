import type { SourceStatus } from '@pulse-card/contract';
import type { EChartsOption } from 'echarts';

/** The result of one successful run: a chart and its texts. */
export interface Edition {
  readonly chart: EChartsOption;
  readonly short: string;
  readonly long: string;
}

/** A source with its history: how often it runs, the outcome of each run, and the results of the successful runs. */
export interface Story {
  readonly sourceId: string;
  readonly name: string;
  readonly provider: string;
  readonly status: SourceStatus;
  readonly connectionCount: number;
  /** The time since the latest run ended, and the time between runs, in hours. */
  readonly latestHoursAgo: number;
  readonly everyHours: number;
  /** The outcomes of the runs, newest first. */
  readonly outcomes: readonly ('SUCCESS' | 'FAILED')[];
  /** The results of the runs, newest first. Older runs repeat the oldest result. */
  readonly editions: () => readonly Edition[];
}
