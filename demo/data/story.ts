import type { SourceStatus } from '@pulse-card/contract';
import type { EChartsOption } from 'echarts';

/** What one successful run delivers: the chart and the words that belong to it. */
export interface Edition {
  readonly chart: EChartsOption;
  readonly short: string;
  readonly long: string;
}

/** A source with its past: how often it runs, what became of the runs, and what the successful ones delivered. */
export interface Story {
  readonly sourceId: string;
  readonly name: string;
  readonly provider: string;
  readonly status: SourceStatus;
  readonly connectionCount: number;
  /** How long ago the latest run ended, and how far apart the runs are, in hours. */
  readonly latestHoursAgo: number;
  readonly everyHours: number;
  /** What became of the runs, the latest first. */
  readonly outcomes: readonly ('SUCCESS' | 'FAILED')[];
  /** What the runs delivered, the latest first; runs that are older than these deliver the oldest again. */
  readonly editions: () => readonly Edition[];
}
