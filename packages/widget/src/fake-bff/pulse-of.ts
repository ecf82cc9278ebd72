import type { Pulse } from '../data/pulse.ts';

/** Creates a pulse without a chart. Omitted fields get default values. */
export function pulseOf(sourceId: string, fields: Partial<Pulse> = {}): Pulse {
  return {
    jobRunId: 'run_1',
    sourceId,
    sourceName: 'Q2 revenue',
    status: 'SUCCESS',
    completedAt: new Date().toISOString(),
    imageUrl: null,
    aiSummaryShort: 'Revenue rose 12% in the second quarter.',
    aiSummaryLong: 'Revenue rose **12%** in the second quarter.\n\n- North: +18%\n- South: +4%',
    ...fields,
  };
}
