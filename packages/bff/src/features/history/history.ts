import type { ReadPulse, Rhythm } from '@pulse-card/contract';
import type { SourceHandler } from '../../http/locals.ts';
import type { DataParts } from '../../http/routes/pulse.ts';
import type { SourceSnapshot } from '../../pulses/pulses.ts';
import { HistoryStore, type HistoryStoreOptions } from './history-store.ts';
import { pulseOf, sendRuns } from './runs-route.ts';

/** The rhythm of each source. With `PULSE_HISTORY`, also its earlier runs. */
export interface History {
  /** `GET /v1/sources/:sourceId/runs`. */
  handler(parts: DataParts): SourceHandler;
  rhythmOf(sourceId: string): Rhythm;
  /** The sources that usually have a new run by now. */
  overdue(): string[];
  /** An earlier run that is kept. */
  pulseOfRun(snapshot: SourceSnapshot, run: string): ReadPulse | undefined;
  /** Changes if a response was sent before its rhythm was known. */
  readonly revision: string;
  /** Adds an answer of the service. */
  add(snapshot: SourceSnapshot): void;
  /** Forgets everything, because the key belongs to another account. */
  clear(): void;
  /** Resolves once the histories for all answers so far are in memory. */
  loaded(): Promise<void>;
  /** Resolves once everything is saved. */
  close(): Promise<void>;
}

export function openHistory(options: HistoryStoreOptions): History {
  const store = new HistoryStore(options);
  const isOn = options.maxRuns > 0;
  return {
    handler: (parts) => sendRuns({ ...parts, store, isOn }),
    rhythmOf: (sourceId) => store.rhythmOf(sourceId),
    overdue: () => store.overdue(),
    pulseOfRun: (snapshot, run) => {
      const kept = isOn ? store.get(snapshot.sourceId)?.runs.find(({ jobRunId }) => jobRunId === run) : undefined;
      return kept && pulseOf(kept, snapshot);
    },
    get revision() {
      return store.revision;
    },
    add: (snapshot) => store.add(snapshot),
    clear: () => store.clear(),
    loaded: () => store.loaded(),
    close: () => store.settled(),
  };
}
