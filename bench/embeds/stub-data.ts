import { FakeBff, pulseOf } from '@pulse-card/testkit/fakes';
import type { Pulse } from '@pulse-card/widget';
import type { Addresses } from './addresses.ts';

const HOUR_MS = 3_600_000;
const NAME = 'US nonfarm employment';
const TEXT =
  'Payrolls reached 143.1 million in December 2015, up 1.9 % on the year and 5.7 million above the 2008 peak.';

/** A BFF with these sources. The charts are on the image host. */
export function fakeBffWith(ids: readonly string[], at: Addresses): FakeBff {
  return new FakeBff({
    sources: ids.map((id) => ({ id, name: NAME, provider: 'GOOGLE', status: 'ACTIVE' })),
    pulses: ids.map((id) => embeddedPulse(id, at)),
  });
}

/** A source's pulse. */
export function embeddedPulse(id: string, { images }: Addresses): Pulse {
  return pulseOf(id, {
    jobRunId: `run_${id}`,
    sourceName: NAME,
    completedAt: new Date(Date.now() - 2 * HOUR_MS).toISOString(),
    imageUrl: `${images}/chart.png?id=${id}`,
    aiSummaryShort: TEXT,
    aiSummaryLong: 'Payrolls **rose** in every month.\n\n- Most: May\n- Least: July\n\nThe year before was *slower*.',
  });
}

/** The visible part of Tableau's frame: a chart and text. The frame is short, so the chart comes first. */
export const METRIC_PAGE = `<!doctype html><meta charset="utf-8"><title>A metric</title><style>body{margin:0}</style>
<img src="/chart.png?id=metric" alt="" width="1600" height="900" style="width:100%;height:auto"><p>${TEXT}</p>`;
