import { createHash } from 'node:crypto';
import type { Rhythm } from '@pulse-card/contract';
import { LRUCache } from 'lru-cache';
import type { SourceSnapshot } from '../../cache/entries.ts';
import type { Clock } from '../../lib/clock.ts';
import type { KeptText } from '../../lib/kept-text.ts';
import { NO_RHYTHM, rhythmOf } from './rhythm.ts';
import { historyIn, mergedHistory, type SourceHistory, textOf, withPulse } from './source-history.ts';

/** The histories of all sources take at most this many bytes in memory. */
const MAX_BYTES = 64 * 1024 * 1024;

export interface HistoryStoreOptions {
  readonly clock: Pick<Clock, 'wallNow'>;
  /** How many runs of each source are kept. With 0, only the completion times are. */
  readonly maxRuns: number;
  /** Names the account of the key in use. */
  readonly accountName: () => string;
  readonly keptText: (name: string) => KeptText;
  readonly warn: (message: string) => void;
}

/** Keeps the history of each source in memory, and over restarts if there is a lasting store. */
export class HistoryStore {
  readonly #options: HistoryStoreOptions;
  readonly #histories = new LRUCache<string, SourceHistory>({
    maxSize: MAX_BYTES,
    sizeCalculation: (history) => Buffer.byteLength(textOf(history)),
  });
  readonly #rhythms = new Map<string, Rhythm>();
  /** Histories that are being loaded. */
  readonly #loads = new Set<Promise<void>>();
  #lateLoads = 0;
  /** Saves under way, by source, in their order. */
  readonly #saves = new Map<string, Promise<void>>();

  constructor(options: HistoryStoreOptions) {
    this.#options = options;
  }

  /** The history of a source; undefined if none is in memory. */
  get(sourceId: string): SourceHistory | undefined {
    const history = this.#histories.get(sourceId);
    return history?.account === this.#options.accountName() ? history : undefined;
  }

  /** The rhythm of a source at the last answer about it. */
  rhythmOf(sourceId: string): Rhythm {
    return this.#rhythms.get(sourceId) ?? NO_RHYTHM;
  }

  /** Sources that are overdue. */
  overdue(): string[] {
    return [...this.#rhythms].flatMap(([sourceId, { overdueSince }]) => (overdueSince === null ? [] : [sourceId]));
  }

  /** Adds an answer of the service. The history of a source goes once the service has no pulse of it. */
  add(snapshot: SourceSnapshot): void {
    const { sourceId } = snapshot;
    if (snapshot.pulse === null) return this.#drop(sourceId);
    const known = this.get(sourceId);
    if (known !== undefined || !this.#textOf(sourceId).isLasting) this.#add(snapshot, known);
    else this.#addLater(snapshot);
  }

  /** Changes whenever the rhythm of an answer becomes known after the answer is served. */
  get revision(): string {
    return String(this.#lateLoads);
  }

  /** Resolves once the histories of all answers so far are in memory. */
  async loaded(): Promise<void> {
    await Promise.all(this.#loads);
  }

  #addLater(snapshot: SourceSnapshot): void {
    const { sourceId } = snapshot;
    const load = this.#load(sourceId).then((loaded) => {
      this.#add(snapshot, this.get(sourceId) ?? loaded);
      this.#loads.delete(load);
      if (this.rhythmOf(sourceId).usual !== null) this.#lateLoads += 1;
    });
    this.#loads.add(load);
  }

  /** Drops all histories: the key belongs to another account. */
  clear(): void {
    for (const sourceId of Array.from(this.#histories.keys())) this.#drop(sourceId);
  }

  /** Resolves once all is saved. */
  async settled(): Promise<void> {
    await Promise.all(this.#saves.values());
  }

  #add({ sourceId, pulse, requestedAtMs }: SourceSnapshot, before?: SourceHistory): void {
    if (pulse === null) return;
    const history = before ?? { account: this.#options.accountName(), times: [], runs: [] };
    const changed = withPulse(history, pulse, this.#limits());
    this.#rhythms.set(sourceId, rhythmOf(changed.times, requestedAtMs));
    this.#histories.set(sourceId, changed);
    if (changed !== history) this.#save(sourceId, changed);
  }

  #limits() {
    return { maxRuns: this.#options.maxRuns, nowMs: this.#options.clock.wallNow() };
  }

  #drop(sourceId: string): void {
    this.#rhythms.delete(sourceId);
    if (!this.#histories.delete(sourceId) && !this.#textOf(sourceId).isLasting) return;
    this.#inTurn(sourceId, (text) => text.save(''));
  }

  async #load(sourceId: string): Promise<SourceHistory | undefined> {
    const loaded = historyIn(
      await this.#textOf(sourceId)
        .load()
        .catch(() => undefined),
    );
    return loaded?.account === this.#options.accountName() ? loaded : undefined;
  }

  /** Saves a history together with what other instances have saved. */
  #save(sourceId: string, history: SourceHistory): void {
    this.#inTurn(sourceId, async (text) => {
      const saved = historyIn(await text.load());
      await text.save(textOf(saved ? mergedHistory(history, saved, this.#limits()) : history));
    });
  }

  #inTurn(sourceId: string, work: (text: KeptText) => Promise<void>): void {
    const before = this.#saves.get(sourceId) ?? Promise.resolve();
    const save = before
      .then(() => work(this.#textOf(sourceId)))
      .catch(() => this.#options.warn('Cannot keep the history of sources: a restart would lose the latest runs'))
      .finally(() => this.#saves.get(sourceId) === save && this.#saves.delete(sourceId));
    this.#saves.set(sourceId, save);
  }

  #textOf(sourceId: string): KeptText {
    // Ids may differ in case only, and names of files may not.
    return this.#options.keptText(`history/${createHash('sha256').update(sourceId).digest('hex').slice(0, 32)}`);
  }
}
