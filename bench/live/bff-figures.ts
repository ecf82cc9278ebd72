import type { BffProcess } from '../process/bff-process.ts';

/** What a BFF says of itself on its private port. */
export interface BffFigures {
  readonly residentBytes: number;
  readonly heapBytes: number;
  readonly externalBytes: number;
  /** The longest turn of the event loop since it was last asked. */
  readonly maxTurnMs: number;
  readonly readers: number;
  readonly cut: number;
  readonly events: number;
}

/** Asks a BFF for its figures. */
export async function figuresOf({ adminUrl }: Pick<BffProcess, 'adminUrl'>): Promise<BffFigures> {
  const text = await (await fetch(`${adminUrl}/metrics`)).text();
  const valueOf = (name: string) => Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1] ?? NaN);
  return {
    residentBytes: valueOf('process_resident_memory_bytes'),
    heapBytes: valueOf('nodejs_heap_size_used_bytes'),
    externalBytes: valueOf('nodejs_external_memory_bytes'),
    maxTurnMs: valueOf('nodejs_eventloop_lag_max_seconds') * 1_000,
    readers: valueOf('pulse_bff_live_readers'),
    cut: valueOf('pulse_bff_live_cut_total'),
    events: valueOf('pulse_bff_live_events_total'),
  };
}
