import type { PulseOutcome } from '@pulse-card/contract';
import sampleChartUrl from './sample-chart.png';

/** A pulse for accounts that don't have one yet. */
export const SAMPLE_ANSWER: Extract<PulseOutcome, { ok: true }> = {
  sourceId: 'src_sample',
  ok: true,
  meta: { requestedAt: new Date().toISOString(), stale: false },
  source: { status: 'ACTIVE', provider: 'GOOGLE', name: 'US nonfarm employment' },
  pulse: {
    jobRunId: 'run_sample',
    sourceId: 'src_sample',
    sourceName: 'US nonfarm employment',
    status: 'SUCCESS',
    completedAt: new Date(Date.now() - 2 * 3_600_000).toISOString(),
    imageUrl: new URL(sampleChartUrl, document.baseURI).href,
    aiSummaryShort:
      'Payrolls reached 143.1 million in December 2015, up 1.9% on the year and 4.7 million above the 2008 peak.',
    aiSummaryLong:
      'Employment fell by **8.7 million** between January 2008 and February 2010, and took until May 2014 to come back.\n\nSince then it has grown by about 2% a year.',
  },
};
