import type { ReadPulse } from '@pulse-card/contract';
import type { Clock } from '../clock.ts';
import type { AnswerOwner, SourceRows } from '../upstream/port.ts';
import type { Came } from './caller.ts';
import { type Kept, KeptCards } from './kept-cards.ts';
import type { KnownSources } from './known-sources.ts';
import type { SavedAccount } from './account-guard.ts';
import type { Card, SourceList } from './port.ts';
import type { SavedAnswer, SavedList, SavedState, StateFiles } from './state-files.ts';

/** The list as it is kept. */
export interface KeptList {
  readonly list: SourceList;
  /** When the upstream was asked, on the monotonic clock. */
  readonly askedAt: number;
  readonly fence: number;
  /** Rows that could not be read, and are left out. */
  readonly unreadableRows: number;
}

/** What a restart brought back. */
export interface Restored {
  readonly cards: readonly Kept[];
  readonly list: KeptList | undefined;
  /** Since when the key has been refused, where it is, on the monotonic clock. */
  readonly refusedAt: number | undefined;
}

/** When a question was put, and how its answer ranks. */
type Asked = Pick<Came<unknown>, 'askedAt' | 'requestedAtMs' | 'fence'>;

/** All that is known: the cards, the list, the ids; in this process, and in files where there is a folder. */
export class Memory {
  readonly ids: KnownSources;
  readonly #cards = new KeptCards();
  readonly #clock: Clock;
  readonly #files: StateFiles | undefined;
  /** What an earlier process saved, until it is known whether the key in use is of the same account. */
  #saved: SavedState | undefined;
  #list: KeptList | undefined;
  #refusedSinceMs: number | undefined;
  #hasAnswers = false;

  constructor(ids: KnownSources, clock: Clock, files: StateFiles | undefined) {
    this.ids = ids;
    this.#clock = clock;
    this.#files = files;
  }

  get list(): KeptList | undefined {
    return this.#list;
  }

  /** Says whether there was an answer of the service, here or elsewhere, or one of an earlier process that may be shown. */
  get hasAnswers(): boolean {
    return this.#hasAnswers;
  }

  /** Takes in that what an earlier process left may be shown. */
  markUsable(): void {
    this.#hasAnswers = true;
  }

  card(sourceId: string): Kept | undefined {
    return this.#cards.get(sourceId);
  }

  /** Keeps an answer; returns the card where its pulse is another than before. */
  keepAnswer(sourceId: string, pulse: ReadPulse | null, asked: Asked): Card | undefined {
    this.#hasAnswers = true;
    if (pulse && this.ids.found(sourceId)) this.#saveList();
    const isKnown = this.ids.has(sourceId);
    const changed = this.#cards.keep(sourceId, { ...asked, pulse }, isKnown ? 'known' : 'stranger');
    if (isKnown && this.card(sourceId)?.fence === asked.fence)
      this.#files?.saveAnswer({ sourceId, pulse, requestedAtMs: asked.requestedAtMs });
    return changed ? this.card(sourceId)?.card : undefined;
  }

  /** Keeps the list, unless a newer one is there; says whether it is another than before. */
  keepList({ rows, unreadableRows }: SourceRows, { askedAt, requestedAtMs, fence }: Asked): boolean {
    this.#hasAnswers = true;
    if (this.#list && this.#list.fence > fence) return false;
    const sources = rows.filter(({ id }) => this.ids.mayList(id));
    const changed = JSON.stringify(this.#list?.list.sources) !== JSON.stringify(sources);
    this.ids.listed(rows.map(({ id }) => id));
    this.#list = { list: { sources, requestedAtMs }, askedAt, fence, unreadableRows };
    if (changed) this.#cards.showRows(new Map(sources.map((row) => [row.id, row])));
    this.#saveList();
    return changed;
  }

  /** Takes in since when the key has been refused, so that a restart does not begin to trust anew. */
  keyRefused(forMs: number | undefined): void {
    const sinceMs = forMs === undefined ? undefined : Math.round(this.#clock.wallNow() - forMs);
    if ((sinceMs === undefined) === (this.#refusedSinceMs === undefined)) return;
    this.#refusedSinceMs = sinceMs;
    this.#saveList();
  }

  /** Reads what an earlier process left, which is not served before `restore()`; whose it is, where there is anything. */
  async load(): Promise<SavedAccount | undefined> {
    this.#saved = await this.#files?.load();
    return this.#saved?.account;
  }

  /** Takes up what was read; undefined where there is nothing. What was answered meanwhile stays. */
  restore(): Restored | undefined {
    const saved = this.#saved;
    if (!saved) return undefined;
    this.#saved = undefined;
    this.#files?.resume();
    if (saved.list) this.#restoreList(saved.list);
    const cards = saved.answers.flatMap((answer) => this.#restoreAnswer(answer) ?? []);
    const refusedAt = this.#refusedSinceMs === undefined ? undefined : this.#monotonic(this.#refusedSinceMs);
    return { cards, list: this.#list, refusedAt };
  }

  /** Says whose answers are kept from now on. */
  belongsTo(owner: AnswerOwner): void {
    this.#files?.belongsTo(owner);
  }

  /** Drops all that is known but the ids that the operator names. */
  clear(): void {
    this.#saved = undefined;
    this.#list = undefined;
    this.#hasAnswers = false;
    this.#refusedSinceMs = undefined;
    this.#cards.clear();
    this.ids.clear();
  }

  #restoreList({ met, sources, requestedAtMs, refusedSinceMs }: SavedList): void {
    for (const id of [...met, ...(sources ?? []).map((row) => row.id)]) this.#met(id);
    this.#refusedSinceMs = refusedSinceMs ?? undefined;
    if (!sources || this.#list) return;
    const shown = sources.filter(({ id }) => this.ids.mayList(id));
    const askedAt = this.#monotonic(requestedAtMs);
    this.#list = { list: { sources: shown, requestedAtMs }, askedAt, fence: 0, unreadableRows: 0 };
    this.#cards.showRows(new Map(shown.map((row) => [row.id, row])));
  }

  #restoreAnswer({ sourceId, pulse, requestedAtMs }: SavedAnswer): Kept | undefined {
    // Only answers of known sources are written down.
    this.#met(sourceId);
    if (!this.ids.has(sourceId) || this.#cards.get(sourceId)) return undefined;
    const answer = { pulse, requestedAtMs, askedAt: this.#monotonic(requestedAtMs), fence: 0 };
    this.#cards.keep(sourceId, answer, 'known');
    return this.card(sourceId);
  }

  #met(sourceId: string): void {
    this.ids.listed([sourceId]);
    this.ids.found(sourceId);
  }

  #saveList(): void {
    this.#files?.saveList({
      sources: this.#list ? [...this.#list.list.sources] : null,
      requestedAtMs: this.#list?.list.requestedAtMs ?? 0,
      met: [...this.ids.met],
      refusedSinceMs: this.#refusedSinceMs ?? null,
    });
  }

  /** A moment of the wall clock on the monotonic one; never in the future. */
  #monotonic(wallMs: number): number {
    return this.#clock.now() - Math.max(0, this.#clock.wallNow() - wallMs);
  }
}
