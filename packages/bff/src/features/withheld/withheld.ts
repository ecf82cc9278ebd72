import { accessSync, constants, existsSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { isSourceId } from '@pulse-card/contract';
import { type Base, type Config, ConfigError } from '../../config.ts';
import { replaceFile } from '../../lib/replace-file.ts';
import { fileFault } from '../../lib/secret-file.ts';
import { type WatchedFile, watchFile } from '../../lib/watched-file.ts';

/** The file is read at least this often, in ms, so that withheld text disappears within a minute. */
const MAX_RELOAD_MS = 30_000;

type WithheldParts = Pick<Base, 'log' | 'clock'>;

/**
 * Opens the list. A file that has never existed counts as empty. Rejects with a `ConfigError` if it can't be read now.
 */
export async function openWithheld(config: Config, parts: WithheldParts): Promise<Withheld | undefined> {
  if (config.withheldFile === undefined) return undefined;
  const list = new Withheld(config.withheldFile, config, parts);
  await list.reload();
  if (list.fault === undefined) return list;
  list.close();
  throw new ConfigError([`PULSE_WITHHELD_FILE: ${list.faultText}`]);
}

/** The runs whose AI-generated text is withheld (`PULSE_WITHHELD_FILE`). */
export class Withheld {
  /** Bumped whenever the list changes. */
  revision = 0;
  /**
   * Why the file currently provides no IDs. `missing` means that it used to exist. The IDs that were read last stay
   * withheld.
   */
  fault: 'missing' | 'unreadable' | undefined;
  faultText = '';
  readonly #path: string;
  readonly #isMounted: boolean;
  readonly #log: Base['log'];
  readonly #file: WatchedFile;
  #text = '';
  #runs: ReadonlySet<string> = new Set();

  constructor(path: string, { keyReloadMs, isMounted }: Config, { log, clock }: WithheldParts) {
    this.#path = path;
    this.#isMounted = isMounted;
    this.#log = log;
    const use = (content: Buffer) => this.#use(textIn(content));
    const everyMs = Math.min(keyReloadMs, MAX_RELOAD_MS);
    this.#file = watchFile(path, { clock, everyMs, use, onRead: (fault) => this.#setFault(fault) });
  }

  has(run: string): boolean {
    return this.#runs.has(run);
  }

  /** In file order. */
  get runs(): readonly string[] {
    return [...this.#runs];
  }

  get isWritable(): boolean {
    try {
      accessSync(dirname(withoutLink(this.#path)), constants.W_OK);
      return !this.#isMounted;
    } catch {
      return false;
    }
  }

  /** Withholds or restores a run's text. Throws if the file can't be written. */
  async set(run: string, isWithheld: boolean): Promise<void> {
    await this.reload();
    // If the file is missing, this restores it with what was withheld.
    writeRun(this.#path, this.#text, run, isWithheld);
    await this.reload();
  }

  reload(): Promise<void> {
    return this.#file.reload();
  }

  close(): void {
    this.#file.close();
  }

  #use(text: string): void {
    if (text === this.#text) return;
    const { runs, badLines } = runsIn(text);
    this.#text = text;
    this.#runs = runs;
    this.revision += 1;
    if (badLines.length > 0)
      this.#log.warn(`PULSE_WITHHELD_FILE: line ${badLines.join(', ')} isn’t a run ID and is ignored`);
  }

  #setFault(fault: unknown): void {
    const isMissing = fault instanceof Error && 'code' in fault && fault.code === 'ENOENT';
    this.faultText = fault === undefined ? '' : fileFault(fault, this.#path);
    if (isMissing) this.fault = this.#runs.size > 0 ? 'missing' : undefined;
    else this.fault = fault === undefined ? undefined : 'unreadable';
  }
}

/** The text of a file with run IDs. Throws if the content isn't text. */
export function textIn(content: Buffer): string {
  const text = new TextDecoder('utf-8', { fatal: true }).decode(content);
  if (text.includes('\0')) throw new TypeError('The content is not text');
  return text;
}

/** Reads run IDs from text with one ID per line. Blank lines and lines that begin with `#` are ignored. */
export function runsIn(text: string): { readonly runs: ReadonlySet<string>; readonly badLines: readonly number[] } {
  const lines = linesOf(text).map((line, at) => ({ id: line.trim(), number: at + 1 }));
  const named = lines.filter(({ id }) => id !== '' && !id.startsWith('#'));
  return {
    // Run IDs have the same form as source IDs.
    runs: new Set(named.filter(({ id }) => isSourceId(id)).map(({ id }) => id)),
    badLines: named.filter(({ id }) => !isSourceId(id)).map(({ number }) => number),
  };
}

/**
 * Writes the file with or without a run and keeps all other lines. Returns whether anything changed. Throws if the file
 * can't be written.
 */
export function writeRun(path: string, text: string, run: string, isWithheld: boolean): boolean {
  if (runsIn(text).runs.has(run) === isWithheld) return false;
  const lines = linesOf(text).filter((line) => line.trim() !== run);
  while (lines.at(-1)?.trim() === '') lines.pop();
  replaceFile(withoutLink(path), [...lines, ...(isWithheld ? [run] : []), ''].join('\n'), 0o644);
  return true;
}

/** The path of the file that `path` links to, because other instances may read that file. */
function withoutLink(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}

function linesOf(text: string): string[] {
  return text.split(/\r\n|\n|\r/);
}
