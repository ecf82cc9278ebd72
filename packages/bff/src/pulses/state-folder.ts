import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { codeOf } from '../lib/outgoing.ts';
import { makeFolder, replaceFile } from '../lib/replace-file.ts';
import { fileText, readRegularFile, type StoredText } from '../lib/stored-text.ts';
import type { Entry, EntryFormat } from './entry-format.ts';

/** Text about sources that no one has requested for this long is removed. */
const KEEP_TEXT_MS = 400 * 86_400_000;

const stateSchema = z.object({
  /** The time of each call, in ms since the Unix epoch and on the monotonic clock. */
  calls: z.array(z.tuple([z.number(), z.number()])).max(10_000),
  /** Which key the service rejects, and since when. */
  rejected: z.object({ sinceMs: z.number(), keyName: z.string() }).optional(),
});

type State = z.output<typeof stateSchema>;

export interface StateFolderOptions {
  readonly clock: Clock;
  readonly format: EntryFormat;
  readonly log: Pick<Log, 'warn'>;
}

/**
 * Stores the last good responses in a folder (`PULSE_STATE_DIR`), with one file per target, and another file for the
 * calls and the key's rejection. Files are replaced atomically. A folder that can't be read or written to doesn't stop
 * anything: `fault` reports why.
 */
export class StateFolder {
  /** The error code from the last write, such as `ENOSPC`; undefined if it succeeded. */
  fault: string | undefined;
  readonly #folder: string;
  readonly #answers: string;
  readonly #options: StateFolderOptions;
  #state: State = { calls: [] };

  constructor(folder: string, options: StateFolderOptions) {
    this.#folder = folder;
    this.#answers = join(folder, 'answers');
    this.#options = options;
    this.#try(() => makeFolder(this.#answers, 0o700));
  }

  /**
   * Reads what earlier processes did, on the monotonic clock; undefined if that isn't known. If the two clocks disagree
   * because one was changed, the later time counts.
   */
  async earlier() {
    const { clock } = this.#options;
    const now = clock.now();
    const monotonicOf = (wallMs: number): number => now - Math.max(0, clock.wallNow() - wallMs);
    try {
      this.#state = stateSchema.parse(JSON.parse(String(await readRegularFile(join(this.#folder, 'state.json')))));
    } catch (cause) {
      if (codeOf(cause) !== 'ENOENT')
        this.#options.log.warn(`Ignored state.json in "${this.#folder}", because it can’t be read`);
      return undefined;
    }
    const { calls, rejected } = this.#state;
    return {
      calls: calls.map(([wallMs, at]) => Math.max(monotonicOf(wallMs), at <= now ? at : -Infinity)),
      rejected: rejected && { since: monotonicOf(rejected.sinceMs), keyName: rejected.keyName },
    };
  }

  /** Reads all responses. */
  async entries(): Promise<(readonly [target: string, entry: Entry])[]> {
    void removeOldFiles(join(this.#folder, 'history'), this.#options.clock.wallNow() - KEEP_TEXT_MS);
    const names = (await readdir(this.#answers).catch(() => [])).filter((name) => name.endsWith('.kept'));
    const found: (readonly [target: string, entry: Entry])[] = [];
    for (const name of names) {
      const kept = await this.#entryIn(name);
      if (kept) found.push(kept);
    }
    const ignored = names.length - found.length;
    if (ignored > 0)
      this.#options.log.warn(
        `Ignored ${ignored} of ${names.length} responses in "${this.#folder}", because they can’t be read`,
      );
    return found;
  }

  /** Saves a response before it is served, so that what a reader has seen survives a crash. */
  save(target: string, entry: Entry): void {
    this.#try(() => replaceFile(this.#pathOf(target), this.#options.format.write(target, entry)));
  }

  remove(target: string): void {
    this.#try(() => rmSync(this.#pathOf(target), { force: true }));
  }

  /** Removes all responses. */
  clear(): void {
    this.#try(() => {
      rmSync(this.#answers, { recursive: true, force: true });
      makeFolder(this.#answers, 0o700);
    });
  }

  /** Records when calls were made, on the monotonic clock. */
  saveCalls(times: readonly number[]): void {
    this.#saveState({ ...this.#state, calls: times.map((at) => [this.#wallTimeOf(at), at]) });
  }

  /** Records the monotonic time since which the key has been rejected; undefined if it is accepted. */
  saveRejection(since: number | undefined, keyName: string): void {
    const rejected = since === undefined ? undefined : { sinceMs: this.#wallTimeOf(since), keyName };
    if (this.#state.rejected?.keyName !== rejected?.keyName) this.#saveState({ ...this.#state, rejected });
  }

  /** The text with this name. */
  text(name: string): StoredText {
    return fileText(join(this.#folder, `${name}.json`));
  }

  #saveState(state: State): void {
    this.#state = state;
    const path = join(this.#folder, 'state.json');
    this.#try(() => {
      try {
        replaceFile(path, JSON.stringify(state));
      } catch (error) {
        // Otherwise, the next process would rely on an outdated state.
        rmSync(path, { force: true });
        throw error;
      }
    });
  }

  async #entryIn(name: string): Promise<readonly [target: string, entry: Entry] | undefined> {
    try {
      const path = join(this.#answers, name);
      const kept = this.#options.format.read(String(await readRegularFile(path)));
      // Removes fields that readers no longer get from the file.
      if (kept?.isCurrent === false) this.save(kept.target, kept.entry);
      return kept && [kept.target, kept.entry];
    } catch {
      return undefined;
    }
  }

  /** Two IDs may differ only in case, which some file systems ignore. */
  #pathOf(target: string): string {
    return join(this.#answers, `${createHash('sha256').update(target).digest('hex').slice(0, 32)}.kept`);
  }

  #wallTimeOf(monotonic: number): number {
    const { clock } = this.#options;
    return Math.round(clock.wallNow() - (clock.now() - monotonic));
  }

  #try(write: () => void): void {
    try {
      write();
      this.fault = undefined;
    } catch (cause) {
      this.fault = codeOf(cause) || 'unknown';
    }
  }
}

async function removeOldFiles(folder: string, savedBeforeMs: number): Promise<void> {
  for (const name of await readdir(folder).catch(() => [] as string[])) {
    const { mtimeMs } = await stat(join(folder, name)).catch(() => ({ mtimeMs: Infinity }));
    if (mtimeMs < savedBeforeMs) await rm(join(folder, name), { force: true }).catch(() => {});
  }
}
