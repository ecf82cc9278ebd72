import { createHash } from 'node:crypto';
import type { ReadPulse, Rhythm } from '@pulse-card/contract';
import { LRUCache } from 'lru-cache';
import type { SnapshotWithPulse } from '../../http/public-fields.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { StoredText } from '../../lib/stored-text.ts';
import type { Answers } from '../../pulses/answers.ts';
import type { SourceSnapshot } from '../../pulses/pulses.ts';
import { NO_RHYTHM, rhythmOf } from './rhythm.ts';
import { emptyHistory, historyIn, mergedHistory, pulseOf, type SourceHistory, withPulse } from './source-history.ts';

/** The maximum size of all sources' histories in memory, in bytes. */
const MAX_BYTES = 64 * 1024 * 1024;

export interface HistoryOptions {
  readonly clock: Pick<Clock, 'wallNow'>;
  /** How many runs of each source are stored. With 0, only completion times are stored. */
  readonly maxRuns: number;
  readonly answers: Pick<Answers, 'accountName' | 'storedText' | 'events'>;
  readonly log: Pick<Log, 'warn'>;
}

/** Keeps each source's history in memory. If there is persistent storage, the history also survives restarts. */
export class History {
  readonly #options: HistoryOptions;
  readonly #histories: LRUCache<string, SourceHistory>;
  readonly #rhythms = new Map<string, Rhythm>();
  /** Pending loads and saves, by source. They run in order. */
  readonly #saving = new Map<string, Promise<unknown>>();

  constructor(options: HistoryOptions) {
    this.#options = options;
    this.#histories = new LRUCache({
      maxSize: MAX_BYTES,
      sizeCalculation: (history) => Buffer.byteLength(JSON.stringify(history)),
      dispose: (history, sourceId, reason) => {
        if (reason === 'evict') this.#inOrder(sourceId, (text) => text.save(JSON.stringify({ ...history, runs: [] })));
      },
    });
    options.answers.events.on('purged', this.#purge);
  }

  /** A source's history; undefined if it isn't in memory. */
  get(sourceId: string): SourceHistory | undefined {
    const history = this.#histories.get(sourceId);
    return history?.account === this.#options.answers.accountName ? history : undefined;
  }

  /** A stored earlier run. */
  pulseOfRun(snapshot: SnapshotWithPulse, run: string): ReadPulse | undefined {
    const kept = this.get(snapshot.sourceId)?.runs.find(({ jobRunId }) => jobRunId === run);
    return kept && pulseOf(kept, snapshot);
  }

  /** A source's usual interval, as of its last response. */
  rhythmOf(sourceId: string): Rhythm {
    return this.#rhythms.get(sourceId) ?? NO_RHYTHM;
  }

  /** The overdue sources. */
  overdue(): string[] {
    return [...this.#rhythms].flatMap(([sourceId, { overdueSince }]) => (overdueSince === null ? [] : [sourceId]));
  }

  /**
   * Adds a response from the service. If the service no longer has a pulse for a source, the source's history is
   * removed.
   */
  add({ sourceId, pulse, requestedAtMs }: SourceSnapshot): void {
    if (pulse === null) return this.#drop(sourceId);
    const account = this.#options.answers.accountName;
    const addTo = (history: SourceHistory): void => {
      const changed = withPulse(history, pulse, this.#limits());
      this.#rhythms.set(sourceId, rhythmOf(changed.times, requestedAtMs));
      this.#histories.set(sourceId, changed);
      if (changed !== history) this.#save(sourceId);
    };
    const known = this.get(sourceId);
    if (known !== undefined || !this.#textOf(sourceId).isLasting) return addTo(known ?? emptyHistory(account));
    this.#inOrder(sourceId, async (text) => {
      const loaded = historyIn(await text.load().catch(() => undefined));
      addTo(this.get(sourceId) ?? (loaded?.account === account ? loaded : emptyHistory(account)));
    });
  }

  /** Resolves once the histories for all responses so far are in memory. */
  async loaded(): Promise<void> {
    await Promise.all(this.#saving.values());
  }

  async close(): Promise<void> {
    this.#options.answers.events.off('purged', this.#purge);
    await this.saved();
  }

  /** Resolves once everything is saved. */
  async saved(): Promise<void> {
    while (this.#saving.size > 0) await this.loaded();
  }

  readonly #purge = (): void => {
    for (const sourceId of new Set([...this.#rhythms.keys(), ...this.#saving.keys()])) this.#drop(sourceId);
  };

  #limits() {
    return { maxRuns: this.#options.maxRuns, nowMs: this.#options.clock.wallNow() };
  }

  #drop(sourceId: string): void {
    const forget = (): void => {
      this.#rhythms.delete(sourceId);
      this.#histories.delete(sourceId);
    };
    forget();
    this.#inOrder(sourceId, async (text) => {
      // The history might have been loaded in the meantime.
      if (text.isLasting) forget();
      if (await text.load()) await text.save('');
    });
  }

  /** Saves a source's history, merged with what other instances have saved. */
  #save(sourceId: string): void {
    this.#inOrder(sourceId, async (text) => {
      const saved = historyIn(await text.load());
      const history = this.#histories.peek(sourceId);
      if (history === undefined) return;
      await text.save(JSON.stringify(saved ? mergedHistory(history, saved, this.#limits()) : history));
    });
  }

  #inOrder(sourceId: string, work: (text: StoredText) => Promise<void>): void {
    const before = this.#saving.get(sourceId) ?? Promise.resolve();
    const next = before
      .then(() => work(this.#textOf(sourceId)))
      .catch(() => this.#options.log.warn('Can’t save the history of sources: a restart would lose the latest runs'))
      .finally(() => this.#saving.get(sourceId) === next && this.#saving.delete(sourceId));
    this.#saving.set(sourceId, next);
  }

  #textOf(sourceId: string): StoredText {
    // Two IDs may differ only in case, which some file systems ignore.
    return this.#options.answers.storedText(
      `history/${createHash('sha256').update(sourceId).digest('hex').slice(0, 32)}`,
    );
  }
}
