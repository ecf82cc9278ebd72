import type { Addresses } from './contestants.ts';

const HOUR_MS = 3_600_000;
const TEXT =
  'Payrolls reached 143.1 million in December 2015, up 1.9 % on the year and 5.7 million above the 2008 peak.';

/** The BFF's answer for these ids, with their charts at the host of images; the first word of an id says what its source is like. */
export function pulsesAnswer(
  ids: readonly string[],
  { images }: Addresses,
): { readonly meta: object; readonly pulses: object[] } {
  const requestedAt = new Date().toISOString();
  const pulses = ids.map((id) => {
    const source = { status: 'ACTIVE', provider: 'GOOGLE', name: 'US nonfarm employment' };
    if (id.startsWith('empty'))
      return { sourceId: id, ok: false, error: 'No pulse found for this source', code: 'pulse_not_found', source };
    return {
      sourceId: id,
      ok: true,
      meta: { requestedAt, stale: id.startsWith('stale') },
      pulse: pulseOf(id, `${images}/chart.png?id=${id}`),
      source,
    };
  });
  return { meta: { requestedAt, stale: false }, pulses };
}

function pulseOf(id: string, imageUrl: string): object {
  return {
    jobRunId: `run_${id}`,
    sourceId: id,
    sourceName: 'US nonfarm employment',
    status: 'SUCCESS',
    completedAt: new Date(Date.now() - 2 * HOUR_MS).toISOString(),
    imageUrl,
    aiSummaryShort: TEXT,
    aiSummaryLong: 'Payrolls **rose** in every month.\n\n- Most: May\n- Least: July\n\nThe year before was *slower*.',
  };
}

/** The part of Tableau's frame that a reader sees: a chart and words. The frame stays low, so the chart is first. */
export const METRIC_PAGE = `<!doctype html><meta charset="utf-8"><title>A metric</title><style>body{margin:0}</style>
<img src="/chart.png?id=metric" alt="" width="1600" height="900" style="width:100%;height:auto"><p>${TEXT}</p>`;
