import { readFile } from 'node:fs/promises';
import { isSourceId } from '@pulse-card/contract';
import { type Clock, repeat } from '../../lib/clock.ts';
import { replaceFile } from '../../lib/replace-file.ts';

/** The ids of runs in a text: one per line. Blank lines and lines that begin with `#` are ignored. */
export function runsIn(text: string): { readonly runs: ReadonlySet<string>; readonly badLines: readonly number[] } {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const named = lines
    .map((line, at) => ({ line, number: at + 1 }))
    .filter(({ line }) => line !== '' && !line.startsWith('#'));
  return {
    // Ids of runs have the form of ids of sources.
    runs: new Set(named.filter(({ line }) => isSourceId(line)).map(({ line }) => line)),
    badLines: named.filter(({ line }) => !isSourceId(line)).map(({ number }) => number),
  };
}

/** Adds a run to the file, or removes it. Other lines stay. Returns whether the file has changed. Rejects if it can't be written. */
export async function setWithheld(path: string, run: string, isWithheld: boolean): Promise<boolean> {
  const text = await textOf(path);
  if (runsIn(text).runs.has(run) === isWithheld) return false;
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== run);
  while (lines.at(-1)?.trim() === '') lines.pop();
  replaceFile(path, [...lines, ...(isWithheld ? [run] : []), ''].join('\n'), 0o644);
  return true;
}

/** The file of `PULSE_WITHHELD_FILE`, over its changes. */
export interface WithheldFile {
  readonly path: string;
  has(run: string): boolean;
  /** The ids, in the order of the file. */
  runs(): readonly string[];
  /** Changes whenever the ids change. */
  revision(): string;
  /** Reads the file again. */
  read(): Promise<void>;
  close(): void;
}

export interface WithheldFileOptions {
  readonly clock: Clock;
  readonly reloadMs: number;
  readonly warn: (message: string) => void;
}

/** Opens the file. If it can't be read, the ids that were read last stay. */
export async function openWithheldFile(path: string, options: WithheldFileOptions): Promise<WithheldFile> {
  let runs: ReadonlySet<string> = new Set();
  let problem = '';
  async function read(): Promise<void> {
    let found = '';
    try {
      const { runs: named, badLines } = runsIn(await textOf(path));
      runs = named;
      if (badLines.length > 0) found = `line ${badLines.join(', ')} has no id of a run, and is ignored`;
    } catch {
      found = 'the file cannot be read; the texts that were withheld stay withheld';
    }
    if (found !== '' && found !== problem) options.warn(`PULSE_WITHHELD_FILE: ${found}`);
    problem = found;
  }
  await read();
  const close = repeat(options.clock, options.reloadMs, read);
  return { path, has: (run) => runs.has(run), runs: () => [...runs], revision: () => [...runs].join(), read, close };
}

/** The text of the file; empty if there is none yet. */
async function textOf(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((cause: unknown) => {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return '';
    throw cause;
  });
}
